#include "plan/shuffle.h"

#include <gtest/gtest.h>

#include "graph/testing/random_graph.h"
#include "plan/one_stream.h"
#include "plan/testing/random_plan.h"
#include "plan/verify.h"

namespace braid {
namespace {

/// Some nodes can be cut, some need scratch.
Graph lowered_graph(std::uint32_t seed, int nodes) {
  Graph graph = random_graph(seed, nodes);
  for (NodeId id : graph.node_ids()) {
    Lowering lowering{"k", id.index % 4 == 0 ? 128 : 0, {}};
    if (id.index % 3 != 0) lowering.cuts = {{0, 1}};
    graph.set_lowering(id, lowering);
  }
  return graph;
}

std::vector<Step> sorted_steps(const std::vector<Step>& stream) {
  std::vector<Step> steps = stream;
  for (Step& step : steps) step.waits.clear();
  std::ranges::sort(steps, [](const Step& a, const Step& b) {
    return std::pair(a.node, a.part) < std::pair(b.node, b.part);
  });
  return steps;
}

TEST(Shuffle, GivesPlansThatVerifyWithTheSameStepsInTheSameBytes) {
  int moved = 0;
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const Graph graph = lowered_graph(seed, 30);
    const int streams = 1 + static_cast<int>(seed % 4);
    const Plan plan = random_plan(graph, seed, {.streams = streams, .most_parts = 2});
    ASSERT_NO_THROW(verify(graph, plan));
    for (std::uint64_t shuffle = 0; shuffle < 4; ++shuffle) {
      const Plan other = shuffled(graph, plan, shuffle);
      ASSERT_NO_THROW(verify(graph, other));
      EXPECT_EQ(other.placements, plan.placements);
      EXPECT_EQ(other.arena_bytes, plan.arena_bytes);
      for (std::size_t s = 0; s < plan.streams.size(); ++s)
        EXPECT_EQ(sorted_steps(other.streams[s]), sorted_steps(plan.streams[s]));
      EXPECT_EQ(shuffled(graph, plan, shuffle), other);
      moved += other == plan ? 0 : 1;
    }
  }
  EXPECT_GT(moved, 200);
}

TEST(Shuffle, TakesLongGraphs) {
  const Graph graph = lowered_graph(1, 20'000);
  const Plan plan = one_stream(graph, "cpu");
  EXPECT_NO_THROW(verify(graph, shuffled(graph, plan, 1)));
}

}  // namespace
}  // namespace braid
