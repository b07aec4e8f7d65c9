#pragma once

#include <filesystem>
#include <fstream>
#include <string_view>

namespace braid {

/// A file that appears whole or not at all: it is written under a temporary name beside its own and
/// renamed by commit(). Without commit() nothing is left behind. Throws Usage if it cannot be
/// created, Quota if the disk is full.
class OutputFile {
 public:
  explicit OutputFile(std::filesystem::path path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  std::ostream& stream() { return stream_; }
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  std::ofstream stream_;
};

/// Writes a whole file, as OutputFile does.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace braid
