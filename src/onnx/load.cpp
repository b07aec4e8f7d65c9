#include "onnx/load.h"

#include <optional>

#include <fmt/format.h>

#include "base/error.h"
#include "base/mapped_file.h"
#include "base/text.h"
#include "onnx/importer.h"
#include "onnx/parsed_model.h"

namespace braid::onnx {
namespace {

Graph load_from(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                std::optional<std::filesystem::path> folder, const LoadOptions& options) {
  ParsedModel parsed = parse_model(bytes, std::move(owner), std::move(folder), options);
  return import_model(parsed.model, parsed.tensors, options);
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
