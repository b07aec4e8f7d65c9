#include "base/output_file.h"

#include <cerrno>
#include <cstring>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"

namespace braid {

OutputFile::OutputFile(std::filesystem::path path) : path_(std::move(path)) {
  // A device or pipe (/dev/stdout) is written directly: it cannot be renamed onto.
  std::error_code ignored;
  const bool special =
      std::filesystem::exists(path_, ignored) && !std::filesystem::is_regular_file(path_, ignored);
  temporary_ = path_;
  if (!special) temporary_ += fmt::format(".partial-{}", ::getpid());
  stream_.open(temporary_, std::ios::binary | std::ios::trunc);
  if (!stream_)
    raise(ErrorKind::Usage,
          fmt::format("cannot write {}: {}", quote(path_.string()), std::strerror(errno)));
}

OutputFile::~OutputFile() {
  if (!stream_.is_open() || temporary_ == path_) return;
  stream_.close();
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void OutputFile::commit() {
  stream_.flush();
  if (!stream_)
    raise(ErrorKind::Output,
          fmt::format("cannot write {}: {}", quote(path_.string()), std::strerror(errno)));
  stream_.close();
  if (temporary_ == path_) return;
  std::error_code problem;
  std::filesystem::rename(temporary_, path_, problem);
  if (problem)
    raise(ErrorKind::Usage,
          fmt::format("cannot write {}: {}", quote(path_.string()), problem.message()));
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  OutputFile file(path);
  file.stream() << text;
  file.commit();
}

}  // namespace braid
