#include "device/cpu/machine/machine.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "device/cpu/machine/cores.h"
#include "device/cpu/machine/machine_file.h"
#include "device/cpu/machine/processor.h"

namespace braid::cpu {
namespace {

constexpr const char* kMachineVariable = "BRAID_MACHINE";
constexpr const char* kIsaVariable = "BRAID_MAX_ISA";

/// Empty if it is not set.
std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// Without limits. Lives for ever, as what is decided does: threads may outlive statics.
const Machine& unlimited() {
  static const Machine* const unlimited = [] {
    const std::string_view file = variable(kMachineVariable);
    return new Machine(file.empty() ? ask_processor() : read_machine(file, ask_processor().isa));
  }();
  return *unlimited;
}

/// oneDNN's own limits hold for all kernels, so that its kernels and ours are always a pair that is
/// tested.
Isa limit_of_library() {
  for (const char* name : {"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA"})
    if (const std::string_view limit = variable(name); !limit.empty()) {
      if (limit == "SSE41" || limit == "AVX") return Isa::Baseline;
      return limit.starts_with("AVX2") ? Isa::Avx2 : Isa::Avx512;
    }
  return Isa::Avx512;
}

Isa limit_of_environment() {
  const std::string_view name = variable(kIsaVariable);
  return std::min(limit_of_library(), name.empty() ? Isa::Avx512 : isa_named(name, kIsaVariable));
}

bool is_from_file() {
  static const bool is_named = !variable(kMachineVariable).empty();
  return is_named;
}

constinit std::mutex deciding;
constinit std::atomic<const Machine*> of_process = nullptr;
/// That of the process, or of the latest test that describes one.
constinit std::atomic<const Machine*> current = nullptr;

/// Once, at the first question or by limit_isa().
const Machine& decide(std::optional<Isa> limit = {}) {
  const std::scoped_lock lock(deciding);
  if (const Machine* decided = of_process.load()) return *decided;
  Machine limited = unlimited();
  limited.isa = std::min(limited.isa, limit ? *limit : limit_of_environment());
  const auto* decided = new Machine(std::move(limited));
  of_process.store(decided);
  current.store(decided, std::memory_order_release);
  return *decided;
}

const Machine& machine_of_process() {
  const Machine* decided = of_process.load();
  return decided != nullptr ? *decided : decide();
}

Machine limited_to(Isa limit) {
  Machine limited = machine();
  limited.isa = std::min(limited.isa, limit);
  return limited;
}

std::optional<DescribedMachine> limit_of_test;

}  // namespace

const Machine& machine() {
  const Machine* decided = current.load(std::memory_order_acquire);
  return decided != nullptr ? *decided : decide();
}

Isa isa() { return machine().isa; }

bool is_described() { return is_from_file() || &machine() != &machine_of_process(); }

int lanes_at_once() { return is_described() ? machine().lanes : usable_cores().at_once; }

Isa isa_of_process() { return machine_of_process().isa; }

Isa best_isa() { return unlimited().isa; }

void limit_isa(Isa limit) {
  if (limit > best_isa())
    raise(ErrorKind::Usage, fmt::format("{} has no {}; the best that it has is {}",
                                        is_from_file() ? "the machine that BRAID_MACHINE describes"
                                                       : "this processor",
                                        name(limit), name(best_isa())));
  if (const Isa decided = decide(limit).isa; decided != limit)
    raise(ErrorKind::Usage,
          fmt::format("cannot use {} any more: this process already uses {}; name the "
                      "instruction set before the first model",
                      name(limit), name(decided)));
}

DescribedMachine::DescribedMachine(Machine machine) : described_(std::move(machine)) {
  if (described_.isa > isa_of_process())
    raise(ErrorKind::Usage, fmt::format("cannot choose as a machine with {}: this process uses {}",
                                        name(described_.isa), name(isa_of_process())));
  before_ = current.exchange(&described_);
}

DescribedMachine::~DescribedMachine() { current.store(before_); }

LimitedIsa::LimitedIsa(Isa limit) { limit_of_test.emplace(limited_to(limit)); }
LimitedIsa::~LimitedIsa() { limit_of_test.reset(); }

}  // namespace braid::cpu
