#include "graph/order.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "graph/edit.h"
#include "graph/testing/random_graph.h"

namespace braid {
namespace {

RC_GTEST_PROP(TopologicalOrder, PutsProducersFirstAndSmallIdsEarly, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const auto nodes = *rc::gen::inRange(0, 30);
  const Graph graph = random_graph(seed, nodes);
  std::vector<bool> done(graph.node_limit(), false);
  const auto ready = [&](NodeId id) {
    for (ValueId input : graph.node(id).inputs)
      if (const NodeId producer = graph.value(input).producer;
          producer.valid() && !done[producer.at()])
        return false;
    return !done[id.at()];
  };
  for (NodeId id : topological_order(graph)) {
    const auto ids = graph.node_ids();
    RC_ASSERT(id == *std::find_if(ids.begin(), ids.end(), ready));
    done[id.at()] = true;
  }
  RC_ASSERT(std::count(done.begin(), done.end(), true) ==
            static_cast<std::ptrdiff_t>(graph.node_count()));
}

TEST(TopologicalOrder, FollowsEditsThatPutLaterIdsFirst) {
  Graph graph;
  const ValueId x = graph.add_input("x", kSmallType);
  Node relu;
  relu.op = "A";
  relu.inputs = {x};
  const NodeId first = graph.add_node(relu, {kSmallType});
  relu.inputs = {graph.node(first).outputs[0]};
  const NodeId second = graph.add_node(relu, {kSmallType});
  graph.add_output(graph.node(second).outputs[0]);
  GraphEdit edit("put one between");
  const ValueId a = graph.node(first).outputs[0];
  Node between;
  between.op = "B";
  between.inputs = {a};
  edit.replace(a, edit.add_node(between, {kSmallType})[0]);
  graph.apply(edit);
  const auto order = topological_order(graph);
  ASSERT_EQ(order.size(), 3);
  EXPECT_EQ(order[0], first);
  EXPECT_EQ(graph.node(order[1]).op, "B");
  EXPECT_EQ(order[2], second);
}

TEST(TopologicalOrder, OfNothingIsEmpty) { EXPECT_TRUE(topological_order(Graph()).empty()); }

}  // namespace
}  // namespace braid
