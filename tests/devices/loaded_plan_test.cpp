#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "plan/json.h"
#include "tests/devices/fake_device.h"
#include "tests/devices/planning.h"

/// Plans that come from a file, and the device that they are for.

namespace braid {
namespace {

class LoadedPlan : public testing::Test {
 protected:
  std::string plan_for(const Device& device) const {
    const Runnable prepared = prepare(graph_, device, without_clocks("nimble"));
    return to_json(prepared.lowered(), prepared.plan);
  }
  static PipelineOptions following(std::string plan) {
    PipelineOptions options = without_clocks("sequential");
    options.plan.given = std::move(plan);
    return options;
  }
  std::string complaint_about(const std::string& plan, const Device& device) const {
    return complaint_from([&] { prepare(graph_, device, following(plan)); });
  }

  const Graph graph_ = wide_branches();
  const std::unique_ptr<Device> device_ = make_fake_device();
};

TEST_F(LoadedPlan, IsFollowed) {
  const Runnable prepared = prepare(graph_, *device_, following(plan_for(*device_)));
  EXPECT_EQ(prepared.plan.scheduler, "nimble");
  EXPECT_EQ(to_json(prepared.lowered(), prepared.plan), plan_for(*device_));
}

TEST_F(LoadedPlan, OfAnotherDeviceIsRefused) {
  EXPECT_EQ(
      complaint_about(plan_for(*make_fake_device({.name = "other"})), *device_),
      "bad model or input: the Plan was made for the device 'other', this is 'fake'; plan for "
      "this device, or choose that one with --device");
}

TEST_F(LoadedPlan, WithMoreStreamsThanTheDeviceHasIsRefused) {
  EXPECT_EQ(complaint_about(plan_for(*device_), *make_fake_device({.streams = 2})),
            "bad model or input: the Plan has 3 streams, the device 'fake' has 2; on a CPU "
            "--threads gives more");
}

TEST_F(LoadedPlan, WithStepsThatTheDeviceDoesNotKnowIsRefused) {
  for (const char* what : {"variant", "priority"}) {
    auto json = nlohmann::json::parse(plan_for(*device_));
    json["streams"][0][0][what] = 1;
    EXPECT_THAT(
        complaint_about(json.dump(), *device_),
        testing::AllOf(testing::StartsWith("bad model or input: "), testing::HasSubstr(what)));
  }
}

TEST_F(LoadedPlan, WhoseStepsReadTooEarlyIsRefused) {
  auto json = nlohmann::json::parse(plan_for(*device_));
  auto& first = json["streams"][0];
  std::reverse(first.begin(), first.end());
  EXPECT_THAT(complaint_about(json.dump(), *device_), testing::HasSubstr("reads value"));
}

TEST_F(LoadedPlan, LargerThanTheBudgetIsRefused) {
  PipelineOptions options = following(plan_for(*device_));
  options.plan.arena_budget = 64;
  EXPECT_THAT(complaint_from([&] { prepare(graph_, *device_, options); }),
              testing::StartsWith("quota exceeded: the arena of the loaded Plan has "));
}

}  // namespace
}  // namespace braid
