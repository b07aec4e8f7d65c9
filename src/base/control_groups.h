#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace braid {

/// The folders of the control groups that this process is in, its own first and those around it
/// behind, as far as they are mounted: of the hierarchy with that controller of version 1, or, if
/// the name is empty, of version 2. Reads proc/self/cgroup and proc/self/mountinfo under `root`.
std::vector<std::filesystem::path> control_groups(const std::filesystem::path& root,
                                                  std::string_view controller);

}  // namespace braid
