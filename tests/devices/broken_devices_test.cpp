#include <algorithm>
#include <map>
#include <set>

#include <gmock/gmock.h>

#include "tests/devices/checks.h"
#include "tests/devices/fake_device.h"

/// Devices that do something wrong, and the checks that notice.

namespace braid {
namespace {

std::set<std::string_view> checks_that_complain(Flaw flaw) {
  const DeviceUnderTest broken{"broken", [flaw] { return make_fake_device({.flaw = flaw}); },
                               /*networks=*/1};
  std::set<std::string_view> names;
  for (const Check& check : checks())
    if (!check.run(broken).empty()) names.insert(check.name);
  return names;
}

constexpr auto kFlaws = {Flaw::IgnoresWaits, Flaw::LosesAPart,    Flaw::RepeatsOutputs,
                         Flaw::HidesAnEvent, Flaw::NeverRecovers, Flaw::RunsOnePlan};

const std::set<std::string_view>& noticed(Flaw flaw) {
  static const auto* const all = [] {
    auto* map = new std::map<Flaw, std::set<std::string_view>>;
    for (const Flaw each : kFlaws) map->emplace(each, checks_that_complain(each));
    return map;
  }();
  return all->at(flaw);
}

TEST(BrokenDevice, ThatIgnoresWaitsIsNoticed) {
  EXPECT_THAT(noticed(Flaw::IgnoresWaits),
              testing::IsSupersetOf(std::set<std::string_view>{
                  "RunsNetworksAsTheyEvaluate", "GivesTheSameBitsUnderEveryScheduler",
                  "GivesTheSameBitsWhenPoisoned", "TracesEveryStepInItsOrder"}));
}

TEST(BrokenDevice, ThatLosesAPartIsNoticed) {
  EXPECT_THAT(noticed(Flaw::LosesAPart),
              testing::IsSupersetOf(std::set<std::string_view>{
                  "RunsNetworksAsTheyEvaluate", "GivesTheSameBitsUnderEveryScheduler",
                  "GivesTheSameBitsWhenPoisoned", "LeavesProgramsRunnableWhenItIsGone"}));
  const auto device = make_fake_device({.flaw = Flaw::LosesAPart});
  EXPECT_THAT(check_operator(*device, *find_generator("Relu"), 12),
              testing::Not(testing::IsEmpty()));
}

TEST(BrokenDevice, ThatRepeatsOutputsIsNoticed) {
  EXPECT_THAT(noticed(Flaw::RepeatsOutputs),
              testing::ElementsAre("AnswersEachInputAnew", "ServesSeveralCallersAtOnce"));
}

TEST(BrokenDevice, ThatHidesAnEventIsNoticed) {
  EXPECT_THAT(
      noticed(Flaw::HidesAnEvent),
      testing::ElementsAre("KeepsProgramsCompiledTogetherApart", "TracesEveryStepInItsOrder"));
}

TEST(BrokenDevice, ThatNeverRecoversIsNoticed) {
  EXPECT_THAT(noticed(Flaw::NeverRecovers),
              testing::ElementsAre("FailsAsEvaluateDoesAndRunsAgain"));
}

TEST(BrokenDevice, ThatRunsOnePlanIsNoticed) {
  EXPECT_THAT(noticed(Flaw::RunsOnePlan),
              testing::ElementsAre("KeepsProgramsCompiledTogetherApart"));
}

TEST(BrokenDevice, EveryCheckNoticesOne) {
  for (const Check& check : checks())
    EXPECT_TRUE(std::ranges::any_of(kFlaws, [&](Flaw f) {
      return noticed(f).contains(check.name);
    })) << check.name;
}

}  // namespace
}  // namespace braid
