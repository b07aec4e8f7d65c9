#pragma once

#include <cstdint>
#include <string>

#include "device/cpu/machine/isa.h"

namespace braid::cpu {

/// Everything of a machine that decides a choice: which way runs an operator, how large its panels,
/// bands and tiles are, how many lanes there are, and what is measured. Sizes are in bytes; caches
/// are those of one core.
struct Machine {
  std::string processor = "unknown processor";
  std::int64_t family = 0;  ///< with `model` tells apart what virtual machines give one name
  std::int64_t model = 0;
  Isa isa = Isa::Baseline;  ///< the best that may be used
  std::int64_t first_level_bytes = std::int64_t{1} << 15;
  std::int64_t first_level_ways = 8;
  std::int64_t second_level_bytes = std::int64_t{1} << 19;
  std::int64_t last_level_bytes = 0;                      ///< of all cores; 0: unknown
  std::int64_t large_page_bytes = std::int64_t{2} << 20;  ///< a power of two
  int cores = 1;  ///< that the process may use; a neighbour needs a second one
  int lanes = 1;  ///< how many can be busy all the time; at most `cores`

  bool operator==(const Machine&) const = default;
};

/// The machine as which this process chooses: the one at hand, or that of the file which the
/// environment variable BRAID_MACHINE names; with the instruction set as limit_isa() or the
/// environment variable BRAID_MAX_ISA lowers it. Decided at the first question; safe to ask from
/// several threads, and cheap. Throws Usage if the environment asks for what the processor has not,
/// Model if the file is no description.
const Machine& machine();
/// Whether machine() is described, by a file or by a test, and not the one at hand.
bool is_described();
/// Lanes of a device that was asked for no number. At the machine at hand a program may change its
/// affinity as it runs, so that this is counted anew.
int lanes_at_once();

/// For tests: while it lives, all threads choose as this machine would, and own kernels use its
/// instruction set. The processor at hand must have that (isa_of_process()); throws Usage if not.
class DescribedMachine {
 public:
  explicit DescribedMachine(Machine machine);
  ~DescribedMachine();
  DescribedMachine(const DescribedMachine&) = delete;
  DescribedMachine& operator=(const DescribedMachine&) = delete;

 private:
  const Machine described_;
  const Machine* before_;
};

}  // namespace braid::cpu
