#include "cost/roofline.h"

#include <gtest/gtest.h>

#include "ops/builder.h"

namespace braid {
namespace {

const DeviceSpec kRoofline{.name = "fake",
                           .streams = 2,
                           .flops_per_us = 10,
                           .bytes_per_us = 40,
                           .bytes_per_us_stream = 20,
                           .launch_us = 3,
                           .wait_us = 1};

// Relu on 1000 f32: 1000 flops, 4000 bytes in, 4000 bytes out.
TEST(Roofline, TheSlowerOfArithmeticAndMemoryDecides) {
  const Graph graph = parse("x: f32[1000]\ny = Relu(x)\n");
  const Cost memory_bound = RooflineCostModel(kRoofline).cost(graph, NodeId(0));
  EXPECT_DOUBLE_EQ(memory_bound.time_us, 3 + 400);
  DeviceSpec slow = kRoofline;
  slow.flops_per_us = 0.5;
  const Cost compute_bound = RooflineCostModel(slow).cost(graph, NodeId(0));
  EXPECT_DOUBLE_EQ(compute_bound.time_us, 3 + 2000);
}

TEST(Roofline, SharesAreOfTheWholeDevice) {
  const Graph graph = parse("x: f32[1000]\ny = Relu(x)\n");
  DeviceSpec device = kRoofline;
  device.launch_us = 0;
  const Cost cost = RooflineCostModel(device).cost(graph, NodeId(0));
  EXPECT_DOUBLE_EQ(cost.bandwidth_share, 0.5);
  EXPECT_DOUBLE_EQ(cost.compute_share, 1000.0 / (400 * 20));
}

TEST(Roofline, PartsShareTheWorkButEachIsLaunched) {
  const Graph graph = parse("x: f32[1000]\ny = Relu(x)\n");
  EXPECT_DOUBLE_EQ(RooflineCostModel(kRoofline).cost(graph, NodeId(0), 4).time_us, 3 + 100);
}

TEST(Roofline, EveryPartReadsAllConstants) {
  const Graph graph = parse("y = Relu(w: f32[1000])\n");
  EXPECT_DOUBLE_EQ(RooflineCostModel(kRoofline).cost(graph, NodeId(0), 2).time_us, 3 + 200 + 100);
}

TEST(Roofline, PartsOfTheColumnsShareTheWeights) {
  DeviceSpec device = kRoofline;
  device.flops_per_us = 1e9;
  const Graph graph = parse("x: f32[1,1]\ny = MatMul(x, w: f32[1,1000]) <row_product cut=1/8>\n");
  // 4 bytes of x, 4000 of w, 4000 of y.
  EXPECT_NEAR(RooflineCostModel(device).cost(graph, NodeId(0), 2).time_us, 3 + 0.1 + 100 + 100,
              1e-3);
}

TEST(Roofline, AStreamingNeighbourSlowsWhatLivesOnMemory) {
  const Graph graph = parse("x: f32[1000]\ny = Relu(x)\n");
  DeviceSpec device = kRoofline;
  device.bytes_per_us = 20;
  EXPECT_DOUBLE_EQ(RooflineCostModel(device).cost(graph, NodeId(0)).time_beside_us, 3 + 800);
  device.flops_per_us = 0.5;
  EXPECT_DOUBLE_EQ(RooflineCostModel(device).cost(graph, NodeId(0)).time_beside_us, 3 + 2000);
  device.flops_per_us = 10;
  device.streams = 1;
  EXPECT_DOUBLE_EQ(RooflineCostModel(device).cost(graph, NodeId(0)).time_beside_us, 3 + 400);
}

TEST(Roofline, ViewsAreFree) {
  Graph graph = parse("x: f32[1000]\ny = Relu(x)\n");
  graph.set_lowering(NodeId(0), {"view", 0, {}});
  EXPECT_EQ(RooflineCostModel(kRoofline).cost(graph, NodeId(0)).time_us, 0);
}

}  // namespace
}  // namespace braid
