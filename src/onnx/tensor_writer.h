#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include <braid/tensor.h>

namespace braid::onnx {

/// Where a tensor's elements lie in a file beside the model.
struct ExternalPlace {
  std::string location;
  std::int64_t offset = 0;
};

/// A serialised TensorProto whose elements are not copied: they go from the tensor to the stream.
class TensorMessage {
 public:
  TensorMessage(const std::string& name, Tensor tensor);
  /// A message whose elements are elsewhere.
  TensorMessage(const std::string& name, const Tensor& tensor, const ExternalPlace& place);

  std::int64_t bytes() const;
  void write(std::ostream& out) const;

 private:
  std::string head_;  ///< everything up to the elements
  Tensor elements_;   ///< undefined if they are elsewhere
};

/// A protobuf tag and length, for a field of bytes.
std::string bytes_header(std::uint32_t field, std::int64_t length);

}  // namespace braid::onnx
