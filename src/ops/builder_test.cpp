#include "ops/builder.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/verify.h"

namespace braid {
namespace {

TEST(Builder, FollowsShapeComputations) {
  const Graph graph = parse(R"(
      x: f32[2,3,4]
      s = Shape(x)
      n = Gather(s, first: i64[1] = {0}) axis=0
      t = Concat(n, rest: i64[1] = {-1}) axis=0
      y = Reshape(x, t))");
  verify(graph);
  EXPECT_EQ(graph.value(graph.find("y")).type, (TensorType{ElementType::F32, {2, 12}}));
}

TEST(Builder, NamesTheInputsThatDecideAShape) {
  Graph graph;
  Builder builder(graph);
  const ValueId x = graph.add_input("x", {ElementType::F32, {2, 3}});
  graph.add_input("unrelated", {ElementType::I64, {1}});
  const ValueId n = graph.add_input("n", {ElementType::I64, {1}});
  const ValueId shape = builder.add("Mul", {n, builder.integers("two", {2})});
  try {
    builder.add("Reshape", {x, shape}, {}, "r");
    FAIL() << "the shape is not known";
  } catch (const ValueNeeded& needed) {
    EXPECT_EQ(needed.kind(), ErrorKind::Unsupported);
    EXPECT_EQ(needed.graph_inputs(), std::vector<std::string>{"n"});
    EXPECT_EQ(needed.notes()[0], "while inferring shapes of 'r' (Reshape)");
  }
}

TEST(Builder, NamesTheNodeThatIsWrong) {
  Graph graph;
  Builder builder(graph);
  const ValueId x = graph.add_input("x", {ElementType::F32, {2, 3}});
  try {
    builder.add("Reshape", {x, builder.integers("shape", {4, 2})}, {}, "bad");
    FAIL() << "six elements do not fit";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Model);
    EXPECT_EQ(error.notes()[0], "while inferring shapes of 'bad' (Reshape)");
  }
}

}  // namespace
}  // namespace braid
