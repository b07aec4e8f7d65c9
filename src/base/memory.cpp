#include "base/memory.h"

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "base/control_groups.h"

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

/// A control group's files that say how much it may use, how much it does, and of what.
struct Group {
  fs::path limit;
  fs::path used;
  fs::path kinds;
};

Group group_of_version_1(const fs::path& folder) {
  return {folder / "memory.limit_in_bytes", folder / "memory.usage_in_bytes",
          folder / "memory.stat"};
}
Group group_of_version_2(const fs::path& folder) {
  return {folder / "memory.max", folder / "memory.current", folder / "memory.stat"};
}

/// The groups that this process is in, whatever they bound.
std::vector<Group> groups_of_process(const fs::path& root) {
  const fs::path usual = root / "sys/fs/cgroup";  // where they are if no table tells
  std::vector<Group> groups = {group_of_version_1(usual / "memory"), group_of_version_2(usual)};
  for (const fs::path& folder : control_groups(root, "memory"))
    groups.push_back(group_of_version_1(folder));
  for (const fs::path& folder : control_groups(root, ""))
    groups.push_back(group_of_version_2(folder));
  return groups;
}

/// The numbers behind these words at the beginnings of lines, added up, in units of so many bytes.
std::int64_t sum_of_lines(const fs::path& path, std::initializer_list<std::string_view> words,
                          std::int64_t unit) {
  std::ifstream file(path);
  std::int64_t sum = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream parts(line);
    std::string word;
    std::int64_t number = 0;
    if (parts >> word >> number && std::ranges::count(words, word) > 0) sum += number * unit;
  }
  return sum;
}

/// Files in memory count as used, and give way.
std::int64_t left_in(const Group& group) {
  const auto limit = read_size(group.limit);
  const auto used = read_size(group.used);
  if (!limit || !used) return kNoLimit;
  const bool is_version_1 = group.limit.filename() == "memory.limit_in_bytes";
  const std::int64_t files =
      is_version_1 ? sum_of_lines(group.kinds, {"total_active_file", "total_inactive_file"}, 1)
                   : sum_of_lines(group.kinds, {"active_file", "inactive_file"}, 1);
  return std::max<std::int64_t>(0, *limit - std::max<std::int64_t>(0, *used - files));
}

/// What the process's own limit on something of a kind leaves.
std::int64_t left_of_limit(const fs::path& proc, std::string_view limit_name,
                           std::string_view used_name) {
  std::ifstream file(proc / "self/limits");
  for (std::string line; std::getline(file, line);) {
    std::int64_t limit = 0;
    if (!line.starts_with(limit_name)) continue;
    if (!(std::istringstream(line.substr(limit_name.size())) >> limit)) return kNoLimit;
    return std::max<std::int64_t>(0, limit - sum_of_lines(proc / "self/status", {used_name}, 1024));
  }
  return kNoLimit;
}

std::int64_t read_memory_of_machine() {
  const std::int64_t bytes =
      sysconf(_SC_PHYS_PAGES) * static_cast<std::int64_t>(sysconf(_SC_PAGESIZE));
  return std::min(bytes, control_group_memory());
}

}  // namespace

std::int64_t control_group_memory(const fs::path& root) {
  std::int64_t bytes = kNoLimit;
  for (const Group& group : groups_of_process(root))
    if (const auto limit = read_size(group.limit); limit && *limit > 0)
      bytes = std::min(bytes, *limit);
  return bytes;
}

std::int64_t memory_of_machine() {
  static const std::int64_t bytes = read_memory_of_machine();
  return bytes;
}

std::int64_t free_memory_bytes(const fs::path& root) {
  const fs::path proc = root / "proc";
  const std::int64_t available = sum_of_lines(proc / "meminfo", {"MemAvailable:"}, 1024);
  std::int64_t least = available > 0 ? available : kNoLimit;
  for (const Group& group : groups_of_process(root)) least = std::min(least, left_in(group));
  least = std::min(least, left_of_limit(proc, "Max address space", "VmSize:"));
  least = std::min(least, left_of_limit(proc, "Max data size", "VmData:"));
  return least == kNoLimit ? 0 : least;
}

}  // namespace braid
