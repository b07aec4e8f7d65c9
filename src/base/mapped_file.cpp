#include "base/mapped_file.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/near_files.h"
#include "base/text.h"

namespace braid {
namespace {

[[noreturn]] void raise_system(const char* what, const std::filesystem::path& path) {
  const int problem = errno;
  raise(ErrorKind::Model,
        fmt::format("cannot {} {}: {}{}", what, quote(path.string()), std::strerror(problem),
                    problem == ENOENT ? did_you_mean_file(path) : ""));
}

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a FIFO must not wait for a writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) raise_system("open", path);
  struct Closer {
    int descriptor;
    ~Closer() { ::close(descriptor); }
  } closer{descriptor};
  return from_descriptor(descriptor, path);
}

std::shared_ptr<const MappedFile> MappedFile::from_descriptor(int descriptor,
                                                              const std::filesystem::path& name) {
  struct stat status{};
  if (::fstat(descriptor, &status) != 0) raise_system("read the size of", name);
  if (!S_ISREG(status.st_mode))
    raise(ErrorKind::Model, fmt::format("{} is not a regular file", quote(name.string())));
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return std::shared_ptr<const MappedFile>(new MappedFile({}));
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (address == MAP_FAILED) raise_system("map", name);
  return std::shared_ptr<const MappedFile>(
      new MappedFile({static_cast<const std::byte*>(address), size}));
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace braid
