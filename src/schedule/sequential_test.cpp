#include <gtest/gtest.h>

#include "graph/hash.h"
#include "graph/text.h"
#include "schedule/schedulers.h"
#include "schedule/testing/graphs.h"

namespace braid {
namespace {

TEST(Sequential, PutsEveryNodeOnOneStreamAfterItsInputs) {
  const Graph graph = parse_graph(R"(
      x: f32[16]
      a: f32[16] = Relu(x)
      b: f32[16] = Relu(a)
      y: f32[16] = Add(b, a))",
                                  {});
  const Plan plan = sequential(graph, FreeOfCharge(), {.name = "cpu"}, {});
  EXPECT_EQ(plan.graph, hash(graph, HashWeights::TypesOnly));
  EXPECT_EQ(plan.device, "cpu");
  EXPECT_EQ(plan.scheduler, "sequential");
  ASSERT_EQ(plan.streams.size(), 1);
  std::vector<NodeId> nodes;
  for (const Step& step : plan.streams[0]) {
    EXPECT_TRUE(step.waits.empty());
    EXPECT_EQ(step.parts, 1);
    nodes.push_back(step.node);
  }
  EXPECT_EQ(nodes, graph.node_ids());
  EXPECT_EQ(plan.arena_bytes, 128);
}

TEST(Sequential, CutsOverAllStreamsWhatIsFasterSo) {
  Grower grower;
  const ValueId first = grower.add_cuttable({grower.input()});
  const Graph graph = grower.finish(grower.add({first}));
  const DeviceSpec device{.name = "cpu", .streams = 4, .wait_us = 1};
  const Plan plan = sequential(graph, EqualCosts(100), device, {});
  ASSERT_EQ(plan.streams.size(), 4);
  for (const auto& stream : plan.streams) EXPECT_EQ(stream[0].parts, 4);
  ASSERT_EQ(plan.streams[0].size(), 2);
  EXPECT_EQ(plan.streams[0][1].waits.size(), 3);  // for the parts on the other streams
}

TEST(Sequential, LeavesWholeWhatABarrierWouldSlowDown) {
  Grower grower;
  const Graph graph = grower.finish(grower.add_cuttable({grower.input()}));
  const DeviceSpec device{.name = "cpu", .streams = 2, .wait_us = 60};
  EXPECT_EQ(sequential(graph, EqualCosts(100), device, {}).streams.size(), 1);
}

TEST(Sequential, LeavesWholeWhatSharesTheBandwidth) {
  Grower grower;
  const Graph graph = grower.finish(grower.add_cuttable({grower.input()}));
  const DeviceSpec device{.name = "cpu", .streams = 2, .wait_us = 1};
  EXPECT_EQ(sequential(graph, EqualCosts(100, 0.5), device, {}).streams.size(), 2);
  EXPECT_EQ(sequential(graph, EqualCosts(100, 1), device, {}).streams.size(), 1);
}

}  // namespace
}  // namespace braid
