#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/mapped_file.h"

namespace braid::onnx {

/// The files beside a model that hold weights. A model names them, so it is not trusted: a file is
/// opened only if it lies in the model's folder or below, is a regular file with one name, and no
/// component of its path is a symbolic link. If a root is given, links are followed as long as the
/// file they lead to lies below the root. The check and the opening are one step, so nothing can be
/// swapped in between.
class ExternalData {
 public:
  /// `folder`: the model's own, if it has one. `root`: empty, or where links may lead.
  ExternalData(std::optional<std::filesystem::path> folder, std::filesystem::path root)
      : folder_(std::move(folder)), root_(std::move(root)) {}

  struct Range {
    std::string location;
    std::int64_t offset = 0;
    std::int64_t length = -1;  ///< -1: not told
  };
  struct Bytes {
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> owner;
  };

  /// Maps the file and gives `size` bytes at the offset. Throws Model, naming the file, if it must
  /// not or cannot be opened, or is too short, or the told length differs from `size`.
  Bytes read(const Range& range, std::int64_t size);

 private:
  std::shared_ptr<const MappedFile> open(const std::string& location) const;

  std::optional<std::filesystem::path> folder_;
  std::filesystem::path root_;
  std::map<std::string, std::shared_ptr<const MappedFile>> files_;
};

}  // namespace braid::onnx
