#include "base/memory.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <vector>

#include <unistd.h>

namespace braid {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

/// A number with K, M or G behind it, or none; nothing if the file does not begin with one.
std::optional<std::int64_t> read_size(const fs::path& path) {
  std::ifstream file(path);
  std::int64_t number = 0;
  if (!(file >> number) || number < 0) return std::nullopt;
  char unit = 0;
  file >> unit;
  const int shift = unit == 'K' ? 10 : unit == 'M' ? 20 : unit == 'G' ? 30 : 0;
  return number < (std::int64_t{1} << 32) ? number << shift : number;
}

/// A control group's files that say how much it may use and how much it does.
struct Group {
  fs::path limit;
  fs::path used;
};

/// The groups that this process is in, whatever they bound.
std::vector<Group> groups_of_process(const fs::path& proc, const fs::path& sys) {
  const fs::path root = sys / "fs/cgroup";
  std::vector<Group> groups = {
      {root / "memory/memory.limit_in_bytes", root / "memory/memory.usage_in_bytes"},  // version 1
      {root / "memory.max", root / "memory.current"}};
  std::ifstream lines(proc / "self/cgroup");
  std::string line;
  while (std::getline(lines, line)) {
    if (!line.starts_with("0::/")) continue;
    fs::path group = root;
    for (const fs::path& name : fs::path(line.substr(4))) {
      if (name == "..") break;
      group /= name;
      groups.push_back({group / "memory.max", group / "memory.current"});
    }
  }
  return groups;
}

std::int64_t available_bytes(const fs::path& proc) {
  std::ifstream file(proc / "meminfo");
  std::string name;
  std::int64_t kilobytes = 0;
  std::string unit;
  while (file >> name >> kilobytes) {
    if (name == "MemAvailable:") return kilobytes * 1024;
    std::getline(file, unit);
  }
  return 0;
}

std::int64_t read_memory_of_machine() {
  std::int64_t bytes = sysconf(_SC_PHYS_PAGES) * static_cast<std::int64_t>(sysconf(_SC_PAGESIZE));
  for (const Group& group : groups_of_process("/proc", "/sys"))
    if (const auto limit = read_size(group.limit); limit && *limit > 0)
      bytes = std::min(bytes, *limit);
  return bytes;
}

}  // namespace

std::int64_t memory_of_machine() {
  static const std::int64_t bytes = read_memory_of_machine();
  return bytes;
}

std::int64_t free_memory_bytes(const std::string& proc, const std::string& sys) {
  const std::int64_t available = available_bytes(proc);
  std::int64_t least = available > 0 ? available : kNoLimit;
  for (const Group& group : groups_of_process(proc, sys)) {
    const auto limit = read_size(group.limit);
    const auto used = read_size(group.used);
    if (limit && used) least = std::min(least, std::max<std::int64_t>(0, *limit - *used));
  }
  return least == kNoLimit ? 0 : least;
}

}  // namespace braid
