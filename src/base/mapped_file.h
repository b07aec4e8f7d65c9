#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace braid {

/// A regular file's bytes, mapped read-only. Pages are read when touched and do not count as
/// anonymous memory. The file must not shrink while it is mapped.
class MappedFile {
 public:
  /// Throws Model if the file is missing, unreadable or not a regular file.
  static std::shared_ptr<const MappedFile> open(const std::filesystem::path& path);
  /// Maps an open descriptor and leaves it open. `name` is for messages.
  static std::shared_ptr<const MappedFile> from_descriptor(int descriptor,
                                                           const std::filesystem::path& name);

  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::span<const std::byte> bytes_;
};

}  // namespace braid
