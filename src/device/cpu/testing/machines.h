#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "device/cpu/machine/machine.h"

/// For tests of choices, in which no kernel runs: machines that are chosen as.

namespace braid::cpu {

struct TestMachine {
  std::string name;
  Machine machine;
};

inline void PrintTo(const TestMachine& test, std::ostream* out) { *out << test.name; }

/// Machines whose instruction sets and caches differ, each with one, two and eight lanes.
inline std::vector<TestMachine> test_machines() {
  constexpr std::int64_t kib = 1 << 10;
  constexpr std::int64_t mib = 1 << 20;
  const std::vector<TestMachine> processors = {
      {"Haswell", {"Haswell", 6, 63, Isa::Avx2, 32 * kib, 8, 256 * kib, 30 * mib}},
      {"Zen3", {"Zen 3", 25, 1, Isa::Avx2, 32 * kib, 8, 512 * kib, 32 * mib}},
      {"Zen4", {"Zen 4", 25, 17, Isa::Avx512, 32 * kib, 8, 1024 * kib, 32 * mib}},
      {"Zen5", {"Zen 5", 26, 2, Isa::Avx512, 48 * kib, 12, 1024 * kib, 32 * mib}},
      {"SapphireRapids",
       {"Sapphire Rapids", 6, 143, Isa::Avx512, 48 * kib, 12, 2048 * kib, 105 * mib}}};
  std::vector<TestMachine> machines;
  for (const TestMachine& processor : processors)
    for (const int lanes : {1, 2, 8}) {
      machines.push_back(processor);
      machines.back().name += "With" + std::to_string(lanes) + (lanes == 1 ? "Lane" : "Lanes");
      machines.back().machine.cores = machines.back().machine.lanes = lanes;
    }
  return machines;
}

/// A test that is run as each of them:
///
///     using ThingChoice = OnEachMachine;
///     INSTANTIATE_TEST_SUITE_P(Machines, ThingChoice, kEachMachine, name_of_machine);
///     TEST_P(ThingChoice, TakesPanels) { ... }
class OnEachMachine : public testing::TestWithParam<TestMachine> {
 protected:
  void SetUp() override {
    const Machine& machine = GetParam().machine;
    if (machine.isa > isa_of_process())
      GTEST_SKIP() << "cannot choose as " << machine.processor << ", which has "
                   << name(machine.isa) << ": " << name(isa_of_process())
                   << " is the best that this process may use";
    described_.emplace(machine);
  }
  void TearDown() override { described_.reset(); }

  const Machine& machine_described() const { return GetParam().machine; }

 private:
  std::optional<DescribedMachine> described_;
};

inline const auto kEachMachine = testing::ValuesIn(test_machines());
inline std::string name_of_machine(const testing::TestParamInfo<TestMachine>& test) {
  return test.param.name;
}

}  // namespace braid::cpu
