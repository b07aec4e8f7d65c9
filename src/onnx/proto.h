#pragma once

#include "onnx.pb.h"

namespace braid::onnx {

/// The official schema, which calls its own namespace `onnx` too.
namespace proto = ::onnx;

}  // namespace braid::onnx
