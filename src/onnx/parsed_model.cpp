#include "onnx/parsed_model.h"

#include "onnx/metadata.h"

namespace braid::onnx {

ParsedModel parse_model(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                        std::optional<std::filesystem::path> folder, const LoadOptions& options) {
  report(options.progress, "reading the model", 0, 0);
  proto::ModelProto model;
  Metadata metadata = split(bytes, MessageKind::Model, options.quotas);
  parse(metadata, options.quotas, model);
  std::string().swap(metadata.bytes);
  return {
      std::move(model),
      TensorReader(std::move(metadata.tensors), std::move(owner),
                   ExternalData(std::move(folder), options.external_data_root), options.quotas)};
}

}  // namespace braid::onnx
