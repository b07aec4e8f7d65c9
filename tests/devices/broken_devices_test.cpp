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

/// The checks that notice a flaw, worked out once for each.
const std::set<std::string_view>& noticed(Flaw flaw) {
  static auto* const known = new std::map<Flaw, std::set<std::string_view>>;
  if (!known->contains(flaw)) known->emplace(flaw, checks_that_complain(flaw));
  return known->at(flaw);
}

std::vector<std::string> complaints_about(std::string_view op, Flaw flaw) {
  return check_operator(*make_fake_device({.flaw = flaw}), *find_generator(op), 12);
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
  EXPECT_THAT(complaints_about("Relu", Flaw::LosesAPart), testing::Not(testing::IsEmpty()));
}

TEST(BrokenDevice, ThatLosesAnElementIsNoticed) {
  EXPECT_THAT(noticed(Flaw::LosesAnElement),
              testing::IsSupersetOf(std::set<std::string_view>{"RunsNetworksAsTheyEvaluate",
                                                               "MovesElementsWhereTheyBelong"}));
  EXPECT_THAT(complaints_about("Cos", Flaw::LosesAnElement),
              testing::Contains(testing::HasSubstr("output 0 is off by")));
}

TEST(BrokenDevice, ThatLowersWhatItRejectsIsNoticed) {
  EXPECT_THAT(complaints_about("Relu", Flaw::LowersRejected),
              testing::Each(testing::HasSubstr("a node that the device rejects was lowered")));
  EXPECT_THAT(complaints_about("Relu", Flaw::LowersRejected), testing::SizeIs(testing::Gt(6U)));
  EXPECT_THAT(complaints_about("Cos", Flaw::LowersRejected), testing::IsEmpty());
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
  std::set<std::string_view> able;
  for (const Flaw flaw :
       {Flaw::IgnoresWaits, Flaw::LosesAPart, Flaw::LosesAnElement, Flaw::RepeatsOutputs,
        Flaw::HidesAnEvent, Flaw::NeverRecovers, Flaw::RunsOnePlan})
    able.insert(noticed(flaw).begin(), noticed(flaw).end());
  for (const Check& check : checks()) EXPECT_TRUE(able.contains(check.name)) << check.name;
}

}  // namespace
}  // namespace braid
