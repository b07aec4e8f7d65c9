#include "rewrite/testing/canonicalised.h"

namespace braid {
namespace {

constexpr int kNodes = 100000;

// Long and wide graphs finish; anything quadratic or recursive would not.

TEST(Scale, ChainOfFoldableNodes) {
  Graph graph;
  Builder builder(graph);
  ValueId x = graph.add_input("x", {ElementType::F32, {2, 3}});
  const ValueId one = builder.constant("one", Tensor::scalar(1.0F));
  const ValueId shape = builder.integers("shape", {3, 2});
  for (int i = 0; i < kNodes / 4; ++i) {
    x = builder.add("Relu", {x});
    x = builder.add("Mul", {x, one});
    x = builder.add("Transpose", {x});
    x = builder.add("Transpose", {x});
  }
  x = builder.add("Reshape", {x, shape});
  graph.add_output(x, "y");
  EXPECT_EQ(canonicalise(std::move(graph)).graph.node_count(), kNodes / 4 + 1U);
}

TEST(Scale, ChainOfReshapes) {
  Graph graph;
  Builder builder(graph);
  ValueId x = graph.add_input("x", {ElementType::F32, {2, 3}});
  const ValueId tall = builder.integers("tall", {3, 2});
  const ValueId wide = builder.integers("wide", {6, 1});
  for (int i = 0; i < kNodes / 2; ++i) {
    x = builder.add("Reshape", {x, tall});
    x = builder.add("Reshape", {x, wide});
  }
  graph.add_output(x, "y");
  EXPECT_EQ(canonicalise(std::move(graph)).graph.node_count(), 1U);
}

TEST(Scale, ManyEqualNodes) {
  Graph graph;
  Builder builder(graph);
  const ValueId x = graph.add_input("x", {ElementType::F32, {2}});
  std::vector<ValueId> parts;
  for (int i = 0; i < kNodes; ++i) parts.push_back(builder.add("Relu", {x}));
  graph.add_output(builder.add("Sum", parts), "y");
  EXPECT_EQ(canonicalise(std::move(graph)).graph.node_count(), 2U);
}

TEST(Scale, ChainOfConcats) {
  Graph graph;
  Builder builder(graph);
  const ValueId x = graph.add_input("x", {ElementType::F32, {1}});
  ValueId row = x;
  for (int i = 0; i < 20000; ++i) row = builder.add("Concat", {row, x}, {{"axis", 0}});
  graph.add_output(row, "y");
  EXPECT_EQ(canonicalise(std::move(graph)).graph.node_count(), 1U);
}

TEST(Scale, ChainOfShapeComputations) {
  Graph graph;
  Builder builder(graph);
  const ValueId x = graph.add_input("x", {ElementType::F32, {2, 3}});
  const ValueId one = builder.constant("one", Tensor::scalar<std::int64_t>(1));
  ValueId size = builder.add("Size", {x});
  for (int i = 0; i < kNodes; ++i) size = builder.add("Add", {size, one});
  graph.add_output(size, "y");
  EXPECT_EQ(canonicalise(std::move(graph)).graph.node_count(), 0U);
}

TEST(Scale, ChainOfResidualBlocks) {
  Graph graph;
  Builder builder(graph);
  ValueId x = graph.add_input("x", {ElementType::F32, {1, 1, 1, 1}});
  const ValueId w = builder.constant("w", Tensor::of<float>({1, 1, 1, 1}, {0.5F}));
  const ValueId g = builder.constant("g", Tensor::of<float>({1}, {0.5F}));
  for (int i = 0; i < kNodes / 5; ++i) {
    const ValueId conv = builder.add("Conv", {x, w});
    const ValueId norm = builder.add("BatchNormalization", {conv, g, g, g, g});
    const ValueId sum = builder.add("Add", {norm, x});
    x = builder.add("Relu", {builder.add("Identity", {sum})});
  }
  graph.add_output(x, "y");
  EXPECT_EQ(canonicalise(std::move(graph)).graph.node_count(), kNodes / 5U);
}

}  // namespace
}  // namespace braid
