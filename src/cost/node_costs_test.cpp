#include "cost/node_costs.h"

#include <gtest/gtest.h>

#include "graph/text.h"

namespace braid {
namespace {

class Counting : public CostModel {
 public:
  Cost cost(const Graph& /*graph*/, NodeId node, int parts) const override {
    ++asked;
    return {.time_us = 10.0 * (node.index + 1) / parts};
  }
  mutable int asked = 0;
};

TEST(NodeCosts, AsksOnceForWholeNodes) {
  const Graph graph = parse_graph("x: f32[4]\na: f32[4] = Relu(x)\ny: f32[4] = Relu(a)", {});
  const Counting model;
  const NodeCosts costs(graph, model);
  for (int i = 0; i < 3; ++i)
    for (NodeId node : graph.node_ids())
      EXPECT_EQ(costs.cost(graph, node).time_us, 10.0 * (node.index + 1));
  EXPECT_EQ(model.asked, 2);
  EXPECT_EQ(costs.cost(graph, NodeId(1), 4).time_us, 5);
}

}  // namespace
}  // namespace braid
