#include "graph/width.h"

#include <bit>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "graph/testing/random_graph.h"
#include "graph/text.h"

namespace braid {
namespace {

bool every_node(const Node&) { return true; }

/// The nodes that each node depends on, as masks over node ids.
std::vector<std::uint32_t> ancestors(const Graph& graph) {
  std::vector<std::uint32_t> before(graph.node_limit(), 0);
  for (NodeId id : topological_order(graph))
    for (ValueId input : graph.node(id).inputs)
      if (const NodeId producer = graph.value(input).producer; producer.valid())
        before[id.at()] |= before[producer.at()] | 1U << producer.at();
  return before;
}

/// The width by trying every set of nodes.
std::int64_t brute_force_width(const Graph& graph, const NodeFilter& counts) {
  const auto before = ancestors(graph);
  std::int64_t best = 0;
  for (std::uint32_t set = 0; set < 1U << graph.node_limit(); ++set) {
    bool fits = std::popcount(set) > best;
    for (NodeId id : graph.node_ids())
      if (fits && (set >> id.at() & 1U) != 0)
        fits = counts(graph.node(id)) && (before[id.at()] & set) == 0;
    if (fits) best = std::popcount(set);
  }
  return best;
}

std::int64_t brute_force_depth(const Graph& graph, const NodeFilter& counts) {
  const auto before = ancestors(graph);
  std::int64_t best = 0;
  for (std::uint32_t set = 0; set < 1U << graph.node_limit(); ++set) {
    bool chain = std::popcount(set) > best;
    for (NodeId a : graph.node_ids())
      for (NodeId b : graph.node_ids()) {
        if (!chain || (set >> a.at() & 1U) == 0 || (set >> b.at() & 1U) == 0) continue;
        chain = counts(graph.node(a)) && (a == b || (before[a.at()] >> b.at() & 1U) != 0 ||
                                          (before[b.at()] >> a.at() & 1U) != 0);
      }
    if (chain) best = std::popcount(set);
  }
  return best;
}

RC_GTEST_PROP(Width, EqualsTheLargestAntichain, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const auto nodes = *rc::gen::inRange(0, 12);
  const Graph graph = random_graph(seed, nodes);
  RC_ASSERT(width(graph, every_node) == brute_force_width(graph, every_node));
  const NodeFilter only_a = [](const Node& node) { return node.op == "A"; };
  RC_ASSERT(width(graph, only_a) == brute_force_width(graph, only_a));
}

RC_GTEST_PROP(Depth, EqualsTheLongestChain, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const auto nodes = *rc::gen::inRange(0, 9);
  const Graph graph = random_graph(seed, nodes);
  const NodeFilter only_a = [](const Node& node) { return node.op == "A"; };
  RC_ASSERT(depth(graph, every_node) == brute_force_depth(graph, every_node));
  RC_ASSERT(depth(graph, only_a) == brute_force_depth(graph, only_a));
}

TEST(Width, OfNamedShapes) {
  EXPECT_EQ(width(Graph(), every_node), 0);
  const auto read = [](std::string_view text) { return parse_graph(text, {}); };
  EXPECT_EQ(width(read("x: f32[2]\na: f32[2] = A(x)\nb: f32[2] = A(a)\n"), every_node), 1);
  const Graph diamond = read(
      "x: f32[2]\na: f32[2] = A(x)\nb: f32[2] = A(a)\nc: f32[2] = A(a)\nd: f32[2] = A(b, c)\n");
  EXPECT_EQ(width(diamond, every_node), 2);
  EXPECT_EQ(depth(diamond, every_node), 3);
  // Dependence runs through nodes that do not count.
  const Graph through = read("x: f32[2]\na: f32[2] = A(x)\nb: f32[2] = B(a)\nc: f32[2] = A(b)\n");
  const NodeFilter only_a = [](const Node& node) { return node.op == "A"; };
  EXPECT_EQ(width(through, only_a), 1);
  EXPECT_EQ(depth(through, only_a), 2);
}

TEST(Width, OfALongChainAndAWideFan) {
  Graph chain;
  ValueId at = chain.add_input("x", kSmallType);
  for (int i = 0; i < 20000; ++i) {
    Node node;
    node.op = "A";
    node.inputs = {at};
    at = chain.node(chain.add_node(std::move(node), {kSmallType})).outputs[0];
  }
  EXPECT_EQ(width(chain, every_node), 1);
  EXPECT_EQ(depth(chain, every_node), 20000);
  Graph fan;
  const ValueId x = fan.add_input("x", kSmallType);
  for (int i = 0; i < 2000; ++i) {
    Node node;
    node.op = "A";
    node.inputs = {x};
    fan.add_node(std::move(node), {kSmallType});
  }
  EXPECT_EQ(width(fan, every_node), 2000);
}

}  // namespace
}  // namespace braid
