#include "device/cpu/machine/machine.h"

#include <set>

#include <gtest/gtest.h>

#include "base/error.h"
#include "device/cpu/cpu_device.h"
#include "device/cpu/machine/fingerprint.h"
#include "device/cpu/machine/processor.h"
#include "device/cpu/testing/machines.h"

namespace braid::cpu {
namespace {

using MachineChoice = OnEachMachine;
INSTANTIATE_TEST_SUITE_P(Machines, MachineChoice, kEachMachine, name_of_machine);

TEST_P(MachineChoice, IsThatOfTheTest) {
  EXPECT_EQ(machine(), machine_described());
  EXPECT_EQ(isa(), machine_described().isa);
  EXPECT_TRUE(is_described());
}

TEST_P(MachineChoice, DecidesHowManyLanesThereAre) {
  EXPECT_EQ(make_device({})->spec().streams, machine_described().lanes);
  EXPECT_EQ(make_device({.threads = 3})->spec().streams, 3);
}

/// What was measured while choosing as another machine is not taken for what this one does.
TEST_P(MachineChoice, HasAFingerprintOfItsOwn) {
  const std::string told = fingerprint(1, false);
  EXPECT_TRUE(told.starts_with(machine_described().processor + " (family ")) << told;
  EXPECT_NE(told.find("; described, "), std::string::npos) << told;
  EXPECT_NE(told.find(", on " + ask_processor().processor), std::string::npos) << told;
}

TEST(Machine, EveryFieldThatDecidesAChoiceIsInTheFingerprint) {
  const std::vector<void (*)(Machine&)> changes = {
      [](Machine&) {},
      [](Machine& m) { m.processor = "another"; },
      [](Machine& m) { m.family += 1; },
      [](Machine& m) { m.model += 1; },
      [](Machine& m) { m.first_level_bytes *= 2; },
      [](Machine& m) { m.first_level_ways *= 2; },
      [](Machine& m) { m.second_level_bytes *= 2; },
      [](Machine& m) { m.last_level_bytes += 1 << 20; },
      [](Machine& m) { m.large_page_bytes *= 2; },
      [](Machine& m) { m.cores += 1; },
  };
  std::set<std::string> told;
  for (const auto& change : changes) {
    Machine changed = machine();
    change(changed);
    const DescribedMachine described(changed);
    told.insert(fingerprint(2, false));
  }
  EXPECT_EQ(told.size(), changes.size());
}

TEST(Machine, IsAsItWasAfterADescription) {
  const Machine before = machine();
  const bool was_described = is_described();
  {
    Machine other = before;
    other.second_level_bytes *= 2;
    const DescribedMachine described(other);
    {
      const LimitedIsa limited(Isa::Baseline);
      EXPECT_EQ(isa(), Isa::Baseline);
      EXPECT_EQ(machine().second_level_bytes, other.second_level_bytes);
      EXPECT_EQ(isa_of_process(), before.isa);
    }
    EXPECT_EQ(machine(), other);
  }
  EXPECT_EQ(machine(), before);
  EXPECT_EQ(is_described(), was_described);
}

TEST(Machine, CannotHaveMoreThanTheProcessorMayUse) {
  if (isa_of_process() == Isa::Avx512) GTEST_SKIP() << "this process may use all there is";
  Machine above = machine();
  above.isa = Isa::Avx512;
  EXPECT_THROW(const DescribedMachine described(above), Error);
}

}  // namespace
}  // namespace braid::cpu
