#include "graph/verify.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/order.h"
#include "graph/testing/random_graph.h"

namespace braid {
namespace {

TEST(Verify, AcceptsWhatTheGraphBuilds) {
  verify(Graph());
  for (std::uint32_t seed = 0; seed < 50; ++seed) verify(random_graph(seed, 20));
}

TEST(Verify, RefusesANodeWithoutAnOperator) {
  Graph graph;
  Node node;
  node.inputs = {graph.add_input("x", kSmallType)};
  graph.add_node(std::move(node), {kSmallType}, {"y"});
  try {
    verify(graph);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Internal);
    EXPECT_EQ(error.message(), "node 'y' () has no operator");
  }
}

TEST(Graph, RefusesToReadOrReturnWhatIsNotThere) {
  Graph graph;
  Node node;
  node.op = "A";
  node.inputs = {ValueId(7)};
  EXPECT_THROW(graph.add_node(node, {kSmallType}), Error);
  EXPECT_THROW(graph.add_output(ValueId(7)), Error);
  EXPECT_THROW(graph.add_output(ValueId()), Error);
  EXPECT_EQ(graph.node_count(), 0);
  verify(graph);
}

}  // namespace
}  // namespace braid
