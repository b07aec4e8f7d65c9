#include "sim/known_ways.h"

#include <thread>

#include <gtest/gtest.h>

#include "graph/text.h"
#include "ops/builder.h"
#include "sim/testing/gpu.h"

namespace braid::sim {
namespace {

class Known : public testing::Test {
 protected:
  KnownWays known{load_gpu_spec("a100"), {}};

  std::shared_ptr<const Ways> of_last(std::string_view text, bool warm = false) {
    const Graph graph = parse(text);
    return known.of(graph, graph.nodes_in_order().back(), warm);
  }
};

constexpr std::string_view kThisConv = R"(
    x: f32[1,64,28,28]
    y = Conv(x, w: f32[64,64,3,3]) pads=[1,1,1,1])";

TEST_F(Known, IsFoundOutOnce) {
  const auto first = of_last(kThisConv);
  EXPECT_EQ(of_last(R"(
      input: f32[1,64,28,28]
      r = Relu(input)
      output = Conv(r, weights: f32[64,64,3,3]) pads=[1,1,1,1])"),
            first);
  const Graph graph = parse(kThisConv);
  const Ways asked = ways_of(known.gpu(), graph, graph.node_ids()[0], {});
  ASSERT_EQ(first->size(), asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i)
    EXPECT_EQ(solo_us(known.gpu(), (*first)[i]), solo_us(known.gpu(), asked[i]));
}

/// What changes kernels, or what they read, is another entry.
TEST_F(Known, DiffersWhereKernelsDo) {
  const auto conv = of_last(kThisConv);
  const auto dram_bytes = [](const std::shared_ptr<const Ways>& ways) {
    double bytes = 0;
    for (const Kernel& kernel : ways->front())
      bytes += kernel.dram_bytes * static_cast<double>(kernel.blocks);
    return bytes;
  };
  EXPECT_LT(dram_bytes(of_last(kThisConv, true)), dram_bytes(conv));
  EXPECT_NE(of_last(R"(
      x: f32[1,64,28,28]
      y = Conv(x, w: f32[64,64,3,3]) pads=[1,1,1,1] strides=[2,2])"),
            conv);
  EXPECT_NE(of_last(R"(
      x: f32[1,64,28,28]
      w: f32[64,64,3,3]
      y = Conv(x, w) pads=[1,1,1,1])"),
            conv);
  const auto two = of_last("a: f32[1024]\ny = Sum(a, c: f32[1024], d: f32[1024])");
  Graph twice = parse("a: f32[1024]\ny = Sum(a, c: f32[1024], c)");
  EXPECT_LT(dram_bytes(known.of(twice, twice.node_ids()[0], false)), dram_bytes(two));
}

TEST_F(Known, ACopyIsNoView) {
  Graph graph = parse("x: f32[1024]\na = Relu(x)\nb = Identity(a)\ny = Relu(b)");
  const NodeId copy = graph.nodes_in_order()[1];
  graph.set_lowering(copy, {std::string(kViewImplementation), 0, {}});
  EXPECT_TRUE(known.of(graph, copy, false)->front().empty());
  graph.set_lowering(copy, {"copy", 0, {}});
  EXPECT_EQ(known.of(graph, copy, false)->front().size(), 1U);
  graph.set_lowering(copy, {});
  EXPECT_TRUE(known.of(graph, copy, false)->front().empty());
}

TEST_F(Known, ManyMayAskAtOnce) {
  const Graph graph = parse(kThisConv);
  std::vector<std::shared_ptr<const Ways>> found(4);
  std::vector<std::thread> threads;
  for (auto& ways : found)
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) ways = known.of(graph, graph.node_ids()[0], i % 2 == 1);
    });
  for (std::thread& thread : threads) thread.join();
  for (const auto& ways : found) EXPECT_EQ(ways, found[0]);
}

}  // namespace
}  // namespace braid::sim
