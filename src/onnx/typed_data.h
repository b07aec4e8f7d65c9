#pragma once

#include <optional>
#include <span>
#include <string>

#include <braid/tensor.h>

namespace braid::onnx {

/// The elements inside one serialised TensorProto: `raw_data`, or one of the typed lists.
struct TensorData {
  std::span<const std::byte> message;
  std::optional<std::span<const std::byte>> raw;
  std::uint32_t typed_field = 0;  ///< the number of the list that is not empty; 0: none
  std::size_t typed_runs = 0;     ///< how many fields that list is made of
  std::size_t typed_bytes = 0;    ///< all of them together
  std::span<const std::byte> last_run;
};

/// Throws Model if the message is malformed or has two kinds of elements.
TensorData find_data(std::span<const std::byte> message, const std::string& what);

/// Decodes the typed list. Throws Model unless it is the list for this element type and has as many
/// elements as the shape, each in range.
Tensor decode_typed(const TensorData& data, TensorType type, const std::string& what);

/// The field of TensorProto whose list holds elements of this type.
std::uint32_t typed_field_of(ElementType element);

}  // namespace braid::onnx
