#include "cost/graph_cost.h"

#include <map>

#include <gtest/gtest.h>

#include "graph/text.h"

namespace braid {
namespace {

/// Times by the name of the node's output.
class TableOfTimes : public CostModel {
 public:
  explicit TableOfTimes(std::map<std::string, double> times) : times_(std::move(times)) {}
  Cost cost(const Graph& graph, NodeId node, int parts) const override {
    return {.time_us = times_.at(graph.value(graph.node(node).outputs[0]).name) / parts};
  }

 private:
  std::map<std::string, double> times_;
};

std::vector<std::string> names(const Graph& graph, const std::vector<NodeId>& nodes) {
  std::vector<std::string> result;
  for (NodeId id : nodes) result.push_back(graph.value(graph.node(id).outputs[0]).name);
  return result;
}

class CostOfGraph : public testing::Test {
 protected:
  Graph graph = parse_graph(R"(
      x: f32[4]
      a: f32[4] = Relu(x)
      b: f32[4] = Relu(a)
      c: f32[4] = Relu(a)
      d: f32[4] = Relu(c)
      y: f32[4] = Add(b, d))",
                            {});
  TableOfTimes costs{{{"a", 1}, {"b", 10}, {"c", 3}, {"d", 4}, {"y", 2}}};
};

TEST_F(CostOfGraph, SumIsAllNodes) { EXPECT_DOUBLE_EQ(sum_us(graph, costs), 20); }

TEST_F(CostOfGraph, CriticalPathIsTheLongestRow) {
  const CriticalPath path = critical_path(graph, costs);
  EXPECT_DOUBLE_EQ(path.time_us, 13);
  EXPECT_EQ(names(graph, path.nodes), (std::vector<std::string>{"a", "b", "y"}));
}

TEST_F(CostOfGraph, EqualPathsAreToldApartByTheSmallestIds) {
  const TableOfTimes even{{{"a", 1}, {"b", 7}, {"c", 3}, {"d", 4}, {"y", 2}}};
  EXPECT_EQ(names(graph, critical_path(graph, even).nodes),
            (std::vector<std::string>{"a", "b", "y"}));
}

TEST(CostOfGraphOfNothing, IsZero) {
  const Graph graph = parse_graph("x: f32[4]\nreturn x\n", {});
  const TableOfTimes costs{{}};
  EXPECT_EQ(sum_us(graph, costs), 0);
  EXPECT_TRUE(critical_path(graph, costs).nodes.empty());
}

}  // namespace
}  // namespace braid
