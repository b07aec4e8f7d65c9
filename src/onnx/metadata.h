#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "graph/quotas.h"
#include "onnx/proto.h"
#include "onnx/schema.h"

namespace braid::onnx {

/// A serialised message split in two: what protobuf shall parse, and where the tensors' elements
/// are.
///
/// The walk keeps only the fields that Braid reads; documentation, annotations, training
/// information and unknown fields are left out. Of a TensorProto it leaves out the elements too and
/// writes into `raw_data` which entry of `tensors` it is (tensor_index()).
struct Metadata {
  std::string bytes;
  std::vector<std::span<const std::byte>> tensors;  ///< each TensorProto as it stands in the file
};

/// Splits a message. Throws Model if the bytes are malformed, Quota before anything large is taken.
/// Time is linear in the number of fields; the elements are not touched.
Metadata split(std::span<const std::byte> message, MessageKind kind, const Quotas& quotas);

/// Parses what split() kept.
void parse(const Metadata& metadata, const Quotas& quotas, google::protobuf::MessageLite& into);

/// The index of a parsed tensor in Metadata::tensors.
std::size_t tensor_index(const proto::TensorProto& tensor);

}  // namespace braid::onnx
