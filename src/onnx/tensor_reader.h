#pragma once

#include <memory>
#include <string>

#include <braid/tensor.h>

#include "onnx/external_data.h"
#include "onnx/metadata.h"
#include "onnx/proto.h"

namespace braid::onnx {

/// Turns parsed TensorProtos into tensors. Elements that stand in the file (or in one beside it) as
/// they would in memory are borrowed; small tensors are copied to aligned memory.
class TensorReader {
 public:
  /// `owner` keeps the bytes that `metadata.tensors` points into.
  TensorReader(std::vector<std::span<const std::byte>> tensors, std::shared_ptr<const void> owner,
               ExternalData external, const Quotas& quotas)
      : tensors_(std::move(tensors)),
        read_(tensors_.size()),
        owner_(std::move(owner)),
        external_(std::move(external)),
        quotas_(quotas) {}

  /// `what` begins messages: "initialiser 'w'". Throws Model if the elements do not fit the shape.
  Tensor read(const proto::TensorProto& tensor, const std::string& what);

 private:
  Tensor read_new(const proto::TensorProto& tensor, const std::string& what);
  Tensor read_external(const proto::TensorProto& tensor, TensorType type, const std::string& what);

  std::vector<std::span<const std::byte>> tensors_;
  std::vector<Tensor> read_;  ///< a function's tensors are read once, however often it is called
  std::shared_ptr<const void> owner_;
  ExternalData external_;
  Quotas quotas_;
};

/// Checks rank, sign and number of elements of a shape that a file states.
void check_dims(const Dims& dims, const Quotas& quotas, const std::string& what);

}  // namespace braid::onnx
