#include "device/cpu/machine/cores.h"

#include <algorithm>
#include <fstream>

#include <sched.h>
#include <unistd.h>

#include "base/control_groups.h"

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
  double least = 0;
  for (const fs::path& group : control_groups(root, is_version_2 ? "" : "cpu")) {
    const double quota = quota_of(group, is_version_2);
    if (quota > 0 && (least == 0 || quota < least)) least = quota;
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
