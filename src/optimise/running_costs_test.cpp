#include "optimise/running_costs.h"

#include <random>

#include <gtest/gtest.h>

#include "cost/graph_cost.h"
#include "graph/testing/random_graph.h"
#include "optimise/moves.h"
#include "optimise/testing/blocks.h"

namespace braid {
namespace {

/// Whole numbers, so that sums are exact in any order. Depends on what the node reads.
double whole_time(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  std::size_t inputs = 0;
  for (const ValueId input : node.inputs)
    inputs += input.valid() && graph.value(input).producer.valid() ? 1 : 0;
  return static_cast<double>((id.at() * 7 + node.op.size() * 3 + inputs) % 11);
}

class WholeTimes : public CostModel {
 public:
  Cost cost(const Graph& graph, NodeId node, int) const override {
    return {.time_us = whole_time(graph, node)};
  }
};

void expect_as_anew(const RunningCosts& followed, const Graph& graph) {
  const RunningCosts anew(graph, whole_time);
  ASSERT_EQ(followed.sum_us(), sum_us(graph, WholeTimes()));
  ASSERT_EQ(followed.critical_path_us(), critical_path(graph, WholeTimes()).time_us);
  for (const NodeId id : graph.node_ids()) {
    ASSERT_EQ(followed.head_us(id), anew.head_us(id)) << id.index;
    ASSERT_EQ(followed.tail_us(id), anew.tail_us(id)) << id.index;
    ASSERT_EQ(followed.time_us(id), anew.time_us(id)) << id.index;
  }
}

std::size_t below(std::mt19937& random, std::size_t n) { return random() % n; }

ValueId random_output(const Graph& graph, NodeId id, std::mt19937& random) {
  const auto& outputs = graph.node(id).outputs;
  return outputs[below(random, outputs.size())];
}

/// Puts a new node, which reads two values, in the place of a value, or an earlier value.
void random_edit(Graph& graph, std::mt19937& random) {
  const std::vector<NodeId> order = graph.nodes_in_order();
  const std::size_t at = below(random, order.size());
  const ValueId old = random_output(graph, order[at], random);
  const ValueId earlier =
      at == 0 ? graph.inputs()[0] : random_output(graph, order[below(random, at)], random);
  GraphEdit edit("random");
  if (below(random, 2) == 0 && order.size() > 10) {
    edit.replace(old, earlier);
  } else {
    Node node;
    node.op = below(random, 2) == 0 ? "A" : "Longer";
    node.inputs = {earlier, below(random, 2) == 0 ? old : graph.inputs()[0]};
    edit.replace(old, edit.add_node(std::move(node), {kSmallType})[0]);
  }
  graph.apply(edit);
}

TEST(RunningCosts, FollowRandomEdits) {
  for (std::uint32_t seed = 1; seed <= 100; ++seed) {
    std::mt19937 random(seed);
    Graph graph = random_graph(seed, 10 + static_cast<int>(seed % 20));
    RunningCosts costs(graph, whole_time);
    for (int i = 0; i < 100; ++i) {
      random_edit(graph, random);
      costs.follow(graph);
      expect_as_anew(costs, graph);
      if (HasFatalFailure()) FAIL() << "seed " << seed << ", edit " << i;
    }
  }
}

TEST(RunningCosts, FollowRules) {
  for (std::uint32_t seed = 1; seed <= 50; ++seed) {
    std::mt19937 random(seed);
    const Graph block = seed % 2 == 0 ? grouped_block() : concat_block();
    RewrittenGraph rewritten(block, rewrite_limits(block));
    RunningCosts costs(block, whole_time);
    for (int i = 0; i < 20; ++i) {
      if (!apply_random_match(rewritten, random)) break;
      if (below(random, 2) == 0) rewritten.end_round();
      costs.follow(rewritten.graph());
      expect_as_anew(costs, rewritten.graph());
      if (HasFatalFailure()) FAIL() << "seed " << seed << ", move " << i;
    }
  }
}

Node reader(std::string op, ValueId input) {
  Node node;
  node.op = std::move(op);
  node.inputs = {input};
  return node;
}

TEST(RunningCosts, AskOnlyForWhatChanged) {
  Graph graph;
  ValueId last = graph.add_input("x", kSmallType);
  for (int i = 0; i < 10; ++i)
    last = graph.node(graph.add_node(reader("A", last), {kSmallType})).outputs[0];
  graph.add_output(last);
  std::vector<NodeId> asked;
  RunningCosts costs(graph, [&](const Graph&, NodeId id) {
    asked.push_back(id);
    return 1.0;
  });
  asked.clear();

  GraphEdit edit("wrap");
  const ValueId middle = graph.node(NodeId(4)).outputs[0];
  edit.replace(middle, edit.add_node(reader("B", middle), {kSmallType})[0]);
  graph.apply(edit);
  costs.follow(graph, std::vector{NodeId(5), NodeId(10)});
  EXPECT_EQ(asked, (std::vector{NodeId(5), NodeId(10)}));
  EXPECT_EQ(costs.critical_path_us(), 11);
  EXPECT_EQ(costs.head_us(NodeId(5)), 6);
  EXPECT_EQ(costs.tail_us(NodeId(10)), 5);
  EXPECT_EQ(costs.arrival_us(graph, last), 11);
  EXPECT_EQ(costs.mixed_us(2), 33);
}

}  // namespace
}  // namespace braid
