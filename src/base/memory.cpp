#include "base/memory.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include <unistd.h>

namespace braid {
namespace {

namespace fs = std::filesystem;

/// The limit in a control group's file; none if it says "max" or is not there.
std::int64_t limit_in(const fs::path& file) {
  std::int64_t limit = 0;
  std::ifstream in(file);
  return in >> limit && limit > 0 ? limit : std::numeric_limits<std::int64_t>::max();
}

std::int64_t limit_of_groups() {
  const fs::path root = "/sys/fs/cgroup";
  std::int64_t limit = limit_in(root / "memory/memory.limit_in_bytes");  // version 1
  std::ifstream groups("/proc/self/cgroup");
  std::string line;
  while (std::getline(groups, line)) {
    if (!line.starts_with("0::/")) continue;
    for (fs::path group = root / line.substr(4); group.native().starts_with(root.native());
         group = group.parent_path())
      limit = std::min(limit, limit_in(group / "memory.max"));
  }
  return limit;
}

}  // namespace

std::int64_t memory_of_machine() {
  static const std::int64_t bytes = std::min<std::int64_t>(
      sysconf(_SC_PHYS_PAGES) * static_cast<std::int64_t>(sysconf(_SC_PAGESIZE)),
      limit_of_groups());
  return bytes;
}

}  // namespace braid
