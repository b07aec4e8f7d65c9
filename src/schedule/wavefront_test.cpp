#include <gtest/gtest.h>

#include "schedule/schedulers.h"
#include "schedule/testing/graphs.h"

namespace braid {
namespace {

TEST(Wavefront, ALevelBeginsWhenTheOneBeforeHasEnded) {
  // A short branch of two beside a long one of two: the second of the short one waits for the long.
  Grower grower;
  const ValueId a = grower.add({grower.input()});
  const ValueId b = grower.add({grower.input()});
  const Graph graph = grower.finish(grower.add({grower.add({a}), grower.add({b})}));
  const DeviceSpec device{.name = "sim", .streams = 4};
  const Plan plan = wavefront(graph, EqualCosts(10), device, {});
  ASSERT_EQ(plan.streams.size(), 2);
  ASSERT_EQ(plan.streams[1].size(), 2);
  EXPECT_EQ(plan.streams[0][1].waits, (std::vector<StepRef>{{StreamId(1), 0}}));
  EXPECT_EQ(plan.streams[1][1].waits, (std::vector<StepRef>{{StreamId(0), 0}}));
}

TEST(Wavefront, AsPublishedUsesTenStreamsAtMost) {
  const Graph graph = tree_graph();
  const DeviceSpec device{.name = "sim", .streams = 32};
  EXPECT_EQ(wavefront(graph, EqualCosts(10), device, {}).streams.size(), 16);
  EXPECT_EQ(schedule("wavefront:published", graph, EqualCosts(10), device).streams.size(), 10);
}

}  // namespace
}  // namespace braid
