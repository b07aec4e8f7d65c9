#pragma once

#include "graph/attributes.h"

namespace braid::onnx {

/// The tensor that a Constant node with these attributes stands for. Throws Model unless there is
/// exactly one value, Unsupported for strings.
Tensor constant_of(const Attributes& attributes);

}  // namespace braid::onnx
