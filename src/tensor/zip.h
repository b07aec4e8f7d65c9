#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/mapped_file.h"

namespace braid {

// Zip archives as NumPy writes them (.npz). Ours rather than a library's: stored members are used
// where they lie in the mapped file, and what an archive claims is checked against what it holds
// before memory is spent on it.

struct ZipMember {
  std::string name;
  std::span<const std::byte> bytes;   ///< the member's contents
  std::shared_ptr<const void> owner;  ///< keeps `bytes` alive
};

/// All members, deflated ones inflated. Throws Model if the archive is malformed, encrypted or
/// damaged, or its members overlap; Quota, before the memory is taken, if the deflated ones hold
/// more than `most_bytes` together. Both name the archive.
std::vector<ZipMember> read_zip(const std::shared_ptr<const MappedFile>& file,
                                const std::string& name, std::int64_t most_bytes);

/// Writes an archive of stored (not compressed) members, with 64-bit sizes where they are needed.
class ZipWriter {
 public:
  explicit ZipWriter(std::ostream& out) : out_(out) {}
  /// A member whose contents are these pieces, one after the other.
  void add(const std::string& name, std::span<const std::span<const std::byte>> pieces);
  void finish();

 private:
  struct Entry {
    std::string name;
    std::uint32_t crc = 0;
    std::uint64_t size = 0;
    std::uint64_t offset = 0;
  };
  void put(const std::string& bytes);

  std::ostream& out_;
  std::uint64_t written_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace braid
