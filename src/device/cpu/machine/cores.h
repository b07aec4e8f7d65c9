#pragma once

#include <filesystem>
#include <vector>

namespace braid::cpu {

/// The cores that this process may use; only where lanes are put follows from them, choices follow
/// machine().
struct Cores {
  std::vector<int> allowed;    ///< by the affinity mask, ascending; at least one
  bool is_restricted = false;  ///< the mask leaves out cores of the machine
  int at_once = 1;             ///< how many can be busy all the time: all allowed, or whole cores
                               ///< that the control groups' quota comes to; at least one
};

Cores usable_cores();

/// How many cores the control groups of this process may use in total; 0: no limit. Reads
/// proc/self/cgroup, proc/self/mountinfo and what they name, under `root`.
double cpu_quota(const std::filesystem::path& root = "/");

}  // namespace braid::cpu
