#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "onnx/load.h"
#include "onnx/proto.h"
#include "onnx/tensor_reader.h"

namespace braid::onnx {

/// The file of a model, its metadata parsed, its tensors ready to be read.
struct ParsedModel {
  proto::ModelProto model;
  TensorReader tensors;
};

/// Throws as load() does for a file that is malformed or too large. `folder` is where weights in
/// separate files lie, if anywhere.
ParsedModel parse_model(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                        std::optional<std::filesystem::path> folder, const LoadOptions& options);

}  // namespace braid::onnx
