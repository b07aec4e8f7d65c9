#include "optimise/partition.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "graph/testing/random_graph.h"
#include "optimise/running_costs.h"
#include "optimise/testing/blocks.h"
#include "zoo/zoo.h"

namespace braid {
namespace {

std::vector<NodeId> needed_by(const Graph& graph, NodeId id) {
  std::vector<NodeId> producers;
  for (const ValueId input : graph.node(id).inputs)
    if (input.valid() && graph.value(input).producer.valid())
      producers.push_back(graph.value(input).producer);
  return producers;
}

void expect_ordered_parts(const Graph& graph, const std::vector<Part>& parts,
                          std::size_t size_lower) {
  std::set<NodeId> before;
  for (const Part& part : parts) {
    EXPECT_LT(operator_count(graph, part), size_lower);
    EXPECT_FALSE(part.empty());
    for (const NodeId id : part) {
      for (const NodeId needed : needed_by(graph, id)) EXPECT_TRUE(before.contains(needed));
      EXPECT_TRUE(before.insert(id).second) << "node " << id.index << " stands in two parts";
    }
  }
  EXPECT_EQ(before.size(), graph.node_count());
}

std::vector<Bond> random_bonds(const Graph& graph, std::mt19937& random) {
  const std::vector<NodeId> ids = graph.node_ids();
  std::vector<Bond> bonds;
  for (std::size_t i = 0; i < ids.size() / 3; ++i) {
    std::vector<NodeId> nodes;
    for (std::size_t k = 0; k < 2 + random() % 2; ++k) nodes.push_back(ids[random() % ids.size()]);
    bonds.push_back({std::move(nodes), static_cast<double>(random() % 3)});
  }
  return bonds;
}

TEST(Partition, CutsRandomGraphsIntoOrderedParts) {
  std::mt19937 random(1);
  for (std::uint32_t seed = 1; seed <= 30; ++seed) {
    const Graph graph = random_graph(seed, 20 + static_cast<int>(seed) * 5);
    const auto bonds = random_bonds(graph, random);
    for (const std::size_t size : {std::size_t{2}, std::size_t{7}, std::size_t{20}}) {
      const auto parts = partition(graph, bonds, {.size_lower = size});
      expect_ordered_parts(graph, parts, size);
      EXPECT_EQ(parts, partition(graph, bonds, {.size_lower = size}));
    }
  }
}

TEST(Partition, CutsModelsIntoOrderedParts) {
  for (const char* model : {"squeezenet", "nasnet-a-mobile"}) {
    const Graph graph = canonicalise(zoo::build(model)).graph;
    const auto parts = partition(graph, match_bonds(graph));
    expect_ordered_parts(graph, parts, 20);
    EXPECT_GT(parts.size(), graph.node_count() / 20) << model;
    EXPECT_LT(parts.size(), graph.node_count() / 5) << model;
  }
}

/// What a cut loses: the weight of bonds first, then values.
std::pair<double, int> loss(const Graph& graph, const std::vector<Bond>& bonds,
                            const std::set<NodeId>& before) {
  double weight = 0;
  for (const Bond& bond : bonds) {
    const auto here =
        std::ranges::count_if(bond.nodes, [&](NodeId id) { return before.contains(id); });
    if (here > 0 && here < std::ssize(bond.nodes)) weight += bond.weight;
  }
  int values = 0;
  for (const NodeId id : before)
    for (const ValueId output : graph.node(id).outputs)
      values += std::ranges::any_of(graph.value(output).consumers,
                                    [&](NodeId reader) { return !before.contains(reader); })
                    ? 1
                    : 0;
  return {weight, values};
}

/// Nodes by the longest path behind them, the longest first.
std::vector<NodeId> by_latest_level(const Graph& graph) {
  const RunningCosts lengths(graph, [](const Graph&, NodeId) { return 1.0; });
  std::vector<NodeId> order = graph.node_ids();
  std::ranges::sort(order, {}, [&](NodeId id) { return std::pair(-lengths.tail_us(id), id); });
  return order;
}

TEST(Partition, LosesAsLittleAsTheBestCutThatKeepsTheBalance) {
  std::mt19937 random(1);
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    constexpr int nodes = 10;
    const Graph graph = random_graph(seed, nodes);
    const auto bonds = random_bonds(graph, random);
    const auto parts = partition(graph, bonds, {.size_lower = nodes});
    ASSERT_EQ(parts.size(), 2U);

    const std::vector<NodeId> order = by_latest_level(graph);
    auto best = std::pair(1e9, 1 << 30);
    for (unsigned bits = 0; bits < 1U << nodes; ++bits) {
      if ((bits & 7U) != 7 || (bits >> 7U) != 0) continue;  // three nodes on either side
      std::set<NodeId> before;
      for (std::size_t i = 0; i < nodes; ++i)
        if ((bits >> i & 1U) != 0) before.insert(order[i]);
      const bool is_closed = std::ranges::all_of(before, [&](NodeId id) {
        return std::ranges::all_of(needed_by(graph, id),
                                   [&](NodeId needed) { return before.contains(needed); });
      });
      if (is_closed) best = std::min(best, loss(graph, bonds, before));
    }
    EXPECT_EQ(loss(graph, bonds, std::set(parts[0].begin(), parts[0].end())), best) << seed;
  }
}

/// A row of pools; the graph cuts nowhere cheaper than elsewhere, but a Concat and its Relu match.
TEST(Partition, LeavesMatchesTogether) {
  const Graph graph = canonical_graph(R"(
      x: f32[1,2,4,4]
      a = MaxPool(x) kernel_shape=[3,3] pads=[1,1,1,1]
      b = MaxPool(a) kernel_shape=[3,3] pads=[1,1,1,1]
      c = MaxPool(b) kernel_shape=[3,3] pads=[1,1,1,1]
      j = Concat(c, c) axis=1
      r = Relu(j)
      d = MaxPool(r) kernel_shape=[3,3] pads=[1,1,1,1]
      e = MaxPool(d) kernel_shape=[3,3] pads=[1,1,1,1]
      f = MaxPool(e) kernel_shape=[3,3] pads=[1,1,1,1]
      return f)");
  const NodeId concat = graph.value(graph.find("j")).producer;
  const NodeId relu = graph.value(graph.find("r")).producer;
  const auto bonds = match_bonds(graph);
  EXPECT_TRUE(std::ranges::any_of(bonds, [&](const Bond& bond) {
    return bond.nodes == std::vector{std::min(concat, relu), std::max(concat, relu)};
  }));
  for (const Part& part : partition(graph, bonds, {.size_lower = 6}))
    EXPECT_EQ(std::ranges::count(part, concat), std::ranges::count(part, relu));
}

TEST(Partition, OfNothingIsNothing) { EXPECT_TRUE(partition(Graph(), {}).empty()); }

}  // namespace
}  // namespace braid
