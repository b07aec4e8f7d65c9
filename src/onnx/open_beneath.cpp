#include "onnx/open_beneath.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"

namespace braid::onnx {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

Descriptor open_component(const Descriptor& folder, const std::filesystem::path& name, int flags,
                          const std::filesystem::path& whole) {
  Descriptor opened(::openat(folder.number(), name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC));
  if (opened.number() >= 0) return opened;
  const int problem = errno;
  struct stat status{};
  const bool link = ::fstatat(folder.number(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
                    S_ISLNK(status.st_mode);
  if (link)
    raise(ErrorKind::Model,
          fmt::format("{} is, or passes through, the symbolic link {}, which is not followed; if "
                      "you trust the model, say where links may lead: --external-data-root DIR",
                      quote(whole.string()), quote(name.string())));
  raise(ErrorKind::Model,
        fmt::format("cannot open {}: {}", quote(whole.string()), std::strerror(problem)));
}

void check_plain(const Descriptor& file, HardLinks hard_links, const std::filesystem::path& whole) {
  struct stat status{};
  if (::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode))
    raise(ErrorKind::Model, fmt::format("{} is not a regular file", quote(whole.string())));
  if (hard_links == HardLinks::Refuse && status.st_nlink != 1)
    raise(ErrorKind::Model,
          fmt::format("{} has {} hard links, so it may be a file from elsewhere; copy it, or say "
                      "where data may lie: --external-data-root DIR",
                      quote(whole.string()), status.st_nlink));
}

}  // namespace

std::shared_ptr<const MappedFile> map_beneath(const std::filesystem::path& folder,
                                              const std::filesystem::path& relative,
                                              HardLinks hard_links) {
  const std::filesystem::path whole = folder / relative;
  Descriptor at(::open(folder.empty() ? "." : folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (at.number() < 0)
    raise(ErrorKind::Model,
          fmt::format("cannot open {}: {}", quote(folder.string()), std::strerror(errno)));
  for (auto name = relative.begin(); name != relative.end(); ++name) {
    if (*name == ".." || name->is_absolute() || name->empty())
      raise(ErrorKind::Model, fmt::format("{} does not name a file beneath {}",
                                          quote(relative.string()), quote(folder.string())));
    const bool last = std::next(name) == relative.end();
    // O_NONBLOCK: opening a FIFO must not wait for a writer.
    at = open_component(at, *name, last ? O_RDONLY | O_NONBLOCK : O_PATH | O_DIRECTORY, whole);
  }
  check_plain(at, hard_links, whole);
  return MappedFile::from_descriptor(at.number(), whole);
}

}  // namespace braid::onnx
