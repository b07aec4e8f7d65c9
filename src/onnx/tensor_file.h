#pragma once

#include <filesystem>
#include <string>

#include <braid/tensor.h>

#include "graph/quotas.h"

namespace braid::onnx {

struct TensorFile {
  std::string name;  ///< may be empty
  Tensor tensor;
};

/// An ONNX TensorProto file (`input_0.pb` of a test data set). The file is not trusted: throws
/// Model, Unsupported or Quota. The elements stay in the mapped file.
TensorFile read_tensor_file(const std::filesystem::path& path, const Quotas& quotas = {});
/// The file appears whole or not at all.
void write_tensor_file(const std::filesystem::path& path, const TensorFile& tensor);

}  // namespace braid::onnx
