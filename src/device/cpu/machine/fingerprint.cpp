#include "device/cpu/machine/fingerprint.h"

#include <fmt/format.h>

#include "device/cpu/machine/machine.h"
#include "device/cpu/machine/processor.h"
#include "device/cpu/onednn/onednn.h"

namespace braid::cpu {
namespace {

std::string describe_processor(const Machine& machine) {
  return fmt::format("{} (family {}, model {}; caches {} and {} KiB)", machine.processor,
                     machine.family, machine.model, machine.first_level_bytes >> 10,
                     machine.second_level_bytes >> 10);
}

/// Times are those of the processor at hand, choices those of the machine described.
std::string describe_description(const Machine& machine) {
  return fmt::format(
      "; described, with {} ways, {} KiB in the last cache, pages of {} KiB and {} "
      "cores, on {}",
      machine.first_level_ways, machine.last_level_bytes >> 10, machine.large_page_bytes >> 10,
      machine.cores, describe_processor(ask_processor()));
}

}  // namespace

std::string fingerprint(int lanes, bool is_pinned) {
  const std::string limited =
      isa() < best_isa() ? fmt::format(" (limited, the processor has {})", name(best_isa())) : "";
  return fmt::format("{}, {}{}{}; oneDNN {}; lanes {}{}", describe_processor(machine()),
                     name(isa()), limited, is_described() ? describe_description(machine()) : "",
                     library_name(), lanes, is_pinned ? ", pinned" : "");
}

}  // namespace braid::cpu
