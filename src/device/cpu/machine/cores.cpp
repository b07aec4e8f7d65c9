#include "device/cpu/machine/cores.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include <sched.h>
#include <unistd.h>

namespace braid::cpu {
namespace {

namespace fs = std::filesystem;

/// The cores of the calling thread's mask. Machines may have more than a cpu_set_t holds.
std::vector<int> affinity_mask() {
  for (int size = CPU_SETSIZE; size <= (1 << 20); size *= 2) {
    cpu_set_t* set = CPU_ALLOC(static_cast<std::size_t>(size));
    if (set == nullptr) break;
    const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(size));
    std::vector<int> cores;
    if (sched_getaffinity(0, bytes, set) == 0)
      for (int core = 0; core < size; ++core)
        if (CPU_ISSET_S(static_cast<std::size_t>(core), bytes, set) != 0) cores.push_back(core);
    CPU_FREE(set);
    if (!cores.empty()) return cores;
  }
  return {0};
}

/// Where the control groups of one hierarchy are seen, and which group of it is the top there.
struct Mount {
  fs::path folder;
  fs::path top;
};

/// The mount of the hierarchy with controller `cpu` (version 1), or of version 2.
std::optional<Mount> find_mount(const fs::path& root, bool is_version_2) {
  std::ifstream in(root / "proc/self/mountinfo");
  std::string line;
  while (std::getline(in, line)) {
    // 32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu,cpuacct
    std::istringstream words(line);
    std::string skipped, top, folder, type, source, options;
    words >> skipped >> skipped >> skipped >> top >> folder;
    while (words >> skipped && skipped != "-") {
    }
    words >> type >> source >> options;
    const bool fits =
        is_version_2 ? type == "cgroup2"
                     : type == "cgroup" && ("," + options + ",").find(",cpu,") != std::string::npos;
    if (fits) return Mount{root / fs::path(folder).relative_path(), top};
  }
  return std::nullopt;
}

/// The process's group: the lines are "number:controllers:path".
std::optional<fs::path> find_group(const fs::path& root, bool is_version_2) {
  std::ifstream in(root / "proc/self/cgroup");
  std::string line;
  while (std::getline(in, line)) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    if (is_version_2 ? controllers == ",," : controllers.find(",cpu,") != std::string::npos)
      return line.substr(second + 1);
  }
  return std::nullopt;
}

double quota_of(const fs::path& group, bool is_version_2) {
  double quota = 0;
  double period = 0;
  if (is_version_2) {
    std::ifstream in(group / "cpu.max");  // "max 100000" or "50000 100000"
    if (!(in >> quota >> period)) return 0;
  } else {
    std::ifstream in_quota(group / "cpu.cfs_quota_us");  // -1: none
    std::ifstream in_period(group / "cpu.cfs_period_us");
    if (!(in_quota >> quota) || !(in_period >> period)) return 0;
  }
  return quota > 0 && period > 0 ? quota / period : 0;
}

/// The least quota of the process's group and the groups around it.
double quota_of_hierarchy(const fs::path& root, bool is_version_2) {
  const auto mount = find_mount(root, is_version_2);
  const auto group = find_group(root, is_version_2);
  if (!mount || !group) return 0;
  // In a container the mount's top is often the process's own group.
  fs::path inside = group->lexically_relative(mount->top);
  if (inside.empty() || inside.native().starts_with("..")) inside = ".";
  double least = 0;
  for (fs::path at = (mount->folder / inside).lexically_normal();
       at.native().starts_with(mount->folder.native()); at = at.parent_path()) {
    const double quota = quota_of(at, is_version_2);
    if (quota > 0 && (least == 0 || quota < least)) least = quota;
    if (at == at.parent_path()) break;
  }
  return least;
}

}  // namespace

double cpu_quota(const fs::path& root) {
  const double v2 = quota_of_hierarchy(root, true);
  const double v1 = quota_of_hierarchy(root, false);
  if (v1 == 0 || v2 == 0) return std::max(v1, v2);
  return std::min(v1, v2);
}

Cores usable_cores() {
  Cores cores;
  cores.allowed = affinity_mask();
  const auto allowed = static_cast<int>(cores.allowed.size());
  cores.is_restricted = allowed < static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  const double quota = cpu_quota();
  cores.at_once =
      quota > 0 ? static_cast<int>(std::clamp(quota, 1.0, static_cast<double>(allowed))) : allowed;
  return cores;
}

}  // namespace braid::cpu
