#include "plan/launch_order.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

Step step(std::int32_t launch, std::vector<StepRef> waits = {}) {
  Step made;
  made.node = NodeId(0);
  made.launch = launch;
  made.waits = std::move(waits);
  return made;
}

TEST(LaunchOrder, FollowsTheRanksAcrossStreams) {
  Plan plan;
  plan.streams = {{step(1), step(3)}, {step(0), step(2)}};
  const std::vector<StepRef> expected = {
      {StreamId(1), 0}, {StreamId(0), 0}, {StreamId(1), 1}, {StreamId(0), 1}};
  EXPECT_EQ(launch_order(plan), expected);
}

TEST(LaunchOrder, KeepsStreamsAndWaitsWhateverTheRanksSay) {
  Plan plan;
  plan.streams = {{step(9), step(0)}, {step(0, {{StreamId(0), 1}})}, {step(5)}};
  const std::vector<StepRef> expected = {
      {StreamId(2), 0}, {StreamId(0), 0}, {StreamId(0), 1}, {StreamId(1), 0}};
  EXPECT_EQ(launch_order(plan), expected);
}

TEST(LaunchOrder, GoesByStreamsWhereNoRanksAreGiven) {
  Plan plan;
  plan.streams = {{step(0)}, {step(0)}, {step(0)}};
  const std::vector<StepRef> expected = {{StreamId(0), 0}, {StreamId(1), 0}, {StreamId(2), 0}};
  EXPECT_EQ(launch_order(plan), expected);
}

}  // namespace
}  // namespace braid
