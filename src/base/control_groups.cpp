#include "base/control_groups.h"

#include <fstream>
#include <optional>
#include <sstream>
#include <string>

namespace braid {
namespace {

namespace fs = std::filesystem;

/// Where the control groups of one hierarchy are seen, and which group of it is the top there.
struct Mount {
  fs::path folder;
  fs::path top;
};

bool lists(const std::string& controllers, std::string_view controller) {
  return ("," + controllers + ",").find("," + std::string(controller) + ",") != std::string::npos;
}

std::optional<Mount> find_mount(const fs::path& root, std::string_view controller) {
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
        controller.empty() ? type == "cgroup2" : type == "cgroup" && lists(options, controller);
    if (fits) return Mount{root / fs::path(folder).relative_path(), top};
  }
  return std::nullopt;
}

/// The process's group: the lines are "number:controllers:path".
std::optional<fs::path> find_group(const fs::path& root, std::string_view controller) {
  std::ifstream in(root / "proc/self/cgroup");
  std::string line;
  while (std::getline(in, line)) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (controller.empty() ? controllers.empty() : lists(controllers, controller))
      return line.substr(second + 1);
  }
  return std::nullopt;
}

}  // namespace

std::vector<fs::path> control_groups(const fs::path& root, std::string_view controller) {
  const auto mount = find_mount(root, controller);
  const auto group = find_group(root, controller);
  if (!mount || !group) return {};
  // In a container the mount's top is often the process's own group.
  fs::path inside = group->lexically_relative(mount->top);
  if (inside.empty() || inside.native().starts_with("..")) inside = ".";
  std::vector<fs::path> groups = {mount->folder};
  for (const fs::path& name : inside)
    if (name != "." && !name.empty()) groups.insert(groups.begin(), groups.front() / name);
  return groups;
}

}  // namespace braid
