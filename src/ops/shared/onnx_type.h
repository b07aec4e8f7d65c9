#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <braid/tensor.h>

namespace braid {

/// The number that ONNX's TensorProto.DataType gives an element type, as in the `to` of Cast.
std::int64_t onnx_type(ElementType type);
/// The element type of that number; nothing if Braid has no such type (strings, sub-byte and 8-bit
/// floats, complex numbers).
std::optional<ElementType> element_of_onnx(std::int64_t type);
/// The same, but throws Unsupported or, for a number that ONNX does not know, Model.
ElementType element_of_onnx(std::string_view op, std::int64_t type);

}  // namespace braid
