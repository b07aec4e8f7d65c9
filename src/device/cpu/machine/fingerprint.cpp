#include "device/cpu/machine/fingerprint.h"

#include <fstream>

#include <fmt/format.h>

#include "base/text.h"
#include "device/cpu/machine/isa.h"
#include "device/cpu/onednn/onednn.h"

namespace braid::cpu {
namespace {

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos)
      return printable(line.substr(colon + 2));
  }
  return "unknown processor";
}

}  // namespace

std::string fingerprint(int lanes, bool is_pinned) {
  const std::string limited =
      isa() < best_isa() ? fmt::format(" (limited, the processor has {})", name(best_isa())) : "";
  return fmt::format("{}, {}{}; oneDNN {}; lanes {}{}", processor(), name(isa()), limited,
                     library_name(), lanes, is_pinned ? ", pinned" : "");
}

}  // namespace braid::cpu
