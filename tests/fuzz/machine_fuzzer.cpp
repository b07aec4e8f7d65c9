#include "device/cpu/machine/machine_file.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/json_mutator.h"

/// Descriptions of machines: what is read is a machine that can be, and is written as it was read.

namespace braid::fuzz {
namespace {

void check(std::string_view text) {
  const cpu::Machine machine = cpu::parse_machine(text, "fuzzed", cpu::Isa::Avx512);
  if (!(cpu::with_defaults(machine) == machine)) fail("a machine that cannot be was read");
  const std::string written = cpu::machine_text(machine, "", "");
  if (!(cpu::parse_machine(written, "written", cpu::Isa::Avx512) == machine))
    fail("a machine that was written is another when it is read");
}

}  // namespace

std::vector<std::string> seeds() {
  return {cpu::machine_text({}, "1.0.0", "a cpu"),
          cpu::machine_text({.isa = cpu::Isa::Avx512, .cores = 8, .lanes = 2}, "", "")};
}

}  // namespace braid::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace braid::fuzz;
  attempt([&] { check(text_of(data, size)); });
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  return braid::fuzz::mutate_json_bytes(data, size, most, seed);
}
