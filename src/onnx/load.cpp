#include "onnx/load.h"

#include <optional>

#include <fmt/format.h>

#include "base/error.h"
#include "base/mapped_file.h"
#include "base/text.h"
#include "onnx/importer.h"
#include "onnx/metadata.h"
#include "onnx/proto.h"
#include "onnx/tensor_reader.h"

namespace braid::onnx {
namespace {

Graph load_from(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                std::optional<std::filesystem::path> folder, const LoadOptions& options) {
  report(options.progress, "reading the model", 0, 0);
  proto::ModelProto model;
  std::vector<std::span<const std::byte>> tensors;
  {
    Metadata metadata = split(bytes, MessageKind::Model, options.quotas);
    parse(metadata, options.quotas, model);
    tensors = std::move(metadata.tensors);
  }
  TensorReader reader(std::move(tensors), std::move(owner),
                      ExternalData(std::move(folder), options.external_data_root), options.quotas);
  return import_model(model, reader, options);
}

}  // namespace

Graph load(const std::filesystem::path& path, const LoadOptions& options) {
  const auto where = [&] { return fmt::format("while loading {}", quote(path.string())); };
  return with_note(where, [&] {
    const auto file = MappedFile::open(path);
    return load_from(file->bytes(), file, path.parent_path(), options);
  });
}

Graph load_bytes(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                 const LoadOptions& options) {
  return load_from(bytes, std::move(owner), std::nullopt, options);
}

}  // namespace braid::onnx
