#include "device/cpu/machine/fingerprint.h"

#include <fstream>

#include <fmt/format.h>

#include "base/text.h"
#include "device/cpu/machine/caches.h"
#include "device/cpu/machine/isa.h"
#include "device/cpu/onednn/onednn.h"

namespace braid::cpu {
namespace {

/// What /proc/cpuinfo says of the first processor.
std::string told_by_system(std::string_view what, std::string_view otherwise) {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    const std::size_t end = line.find_last_not_of(" \t", colon - 1);
    if (std::string_view(line).substr(0, end + 1) == what) return printable(line.substr(colon + 2));
  }
  return std::string(otherwise);
}

/// Virtual machines give processors of several generations one name.
std::string processor() {
  return fmt::format("{} (family {}, model {}; caches {} and {} KiB)",
                     told_by_system("model name", "unknown processor"),
                     told_by_system("cpu family", "?"), told_by_system("model", "?"),
                     first_level_bytes() >> 10, second_level_bytes() >> 10);
}

}  // namespace

std::string fingerprint(int lanes, bool is_pinned) {
  const std::string limited =
      isa() < best_isa() ? fmt::format(" (limited, the processor has {})", name(best_isa())) : "";
  return fmt::format("{}, {}{}; oneDNN {}; lanes {}{}", processor(), name(isa()), limited,
                     library_name(), lanes, is_pinned ? ", pinned" : "");
}

}  // namespace braid::cpu
