#pragma once

#include <cstdint>
#include <string>

#include <braid/tensor.h>

namespace braid::onnx {

/// Our element type for a TensorProto.DataType. Throws Unsupported, naming the type, for one that
/// ONNX has and Braid has not, Model for one that does not exist. `what` begins the message:
/// "input 'x'".
ElementType require_element(std::int32_t data_type, const std::string& what);

}  // namespace braid::onnx
