#include "cost/damaged_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace braid {
namespace {

namespace fs = std::filesystem;

constexpr int kMostAside = 9;  // the last one is replaced

/// A lock on a folder, held while the object lives.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder)
      : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    is_held_ = descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX) == 0;
  }
  ~FolderLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  bool is_held() const { return is_held_; }

 private:
  int descriptor_;
  bool is_held_ = false;
};

fs::path with_ending(fs::path file, const std::string& ending) {
  file += ending;
  return file;
}

fs::path free_name(const fs::path& file) {
  for (int i = 1;; ++i) {
    const fs::path name = with_ending(file, i == 1 ? ".aside" : fmt::format(".aside-{}", i));
    std::error_code ignored;
    if (i == kMostAside || !fs::exists(fs::symlink_status(name, ignored))) return name;
  }
}

}  // namespace

std::uint64_t file_identity(const fs::path& file) {
  struct stat status = {};
  return ::stat(file.c_str(), &status) == 0 ? status.st_ino : 0;
}

fs::path set_damaged_aside(const fs::path& file, std::uint64_t identity) {
  const FolderLock lock(file.has_parent_path() ? file.parent_path() : fs::path("."));
  if (!lock.is_held() || identity == 0 || file_identity(file) != identity) return {};
  const fs::path aside = free_name(file);
  std::error_code problem;
  // First the journals: one that stayed would be taken for the new file's.
  for (const char* ending : {"-journal", "-wal", "-shm"}) {
    const fs::path journal = with_ending(file, ending);
    std::error_code ignored;
    if (fs::exists(journal, ignored)) fs::rename(journal, with_ending(aside, ending), problem);
    if (problem) return {};
  }
  fs::rename(file, aside, problem);
  return problem ? fs::path() : aside;
}

}  // namespace braid
