#include "rewrite/testing/canonicalised.h"

namespace braid {
namespace {

constexpr auto kMergeCommon = "merge-common-subexpressions";

TEST(MergeCommonSubexpressions, ComputesEqualThingsOnce) {
  EXPECT_REWRITTEN(kMergeCommon, R"(
    x: f32[2,3]
    a = Relu(x)
    b = Relu(x)
    c = LeakyRelu(a) alpha=0.5
    d = LeakyRelu(b) alpha=0.5
    y = Sub(c, d)
  )",
                   R"(
    x: f32[2,3]
    a = Relu(x)
    c = LeakyRelu(a) alpha=0.5
    y = Sub(c, c)
  )");
}

TEST(MergeCommonSubexpressions, LooksAtOperatorAttributesAndInputs) {
  EXPECT_UNCHANGED(kMergeCommon, R"(
    x: f32[4]
    z: f32[4]
    a = Relu(x)
    b = Abs(x)
    c = LeakyRelu(x) alpha=0.5
    d = LeakyRelu(x) alpha=0.25
    e = Sub(x, z)
    f = Sub(z, x)
    y = Sum(a, b, c, d, e, f)
  )");
}

TEST(MergeCommonSubexpressions, KnowsThatSumAndProductCommute) {
  EXPECT_REWRITTEN(kMergeCommon, R"(
    x: f32[4]
    z: f32[4]
    a = Add(x, z)
    b = Add(z, x)
    y = Mul(a, b)
  )",
                   R"(
    x: f32[4]
    z: f32[4]
    a = Add(x, z)
    y = Mul(a, a)
  )");
}

TEST(MergeCommonSubexpressions, MergesEqualConstants) {
  EXPECT_REWRITTEN(kMergeCommon, R"(
    x: f32[2]
    a = Add(x, one: f32[2] = {1,2})
    b = Add(x, two: f32[2] = {1,2})
    c = Add(x, three: f32[1,2] = {1,2})
    y = Sub(a, b)
  )",
                   R"(
    x: f32[2]
    a = Add(x, one: f32[2] = {1,2})
    c = Add(x, three: f32[1,2] = {1,2})
    y = Sub(a, a)
    return c, y
  )");
}

// Equal at both ends, where constants are looked at first.
TEST(MergeCommonSubexpressions, TellsLongConstantsApart) {
  Graph graph;
  const ValueId x = graph.add_input("x", {ElementType::F32, {100}});
  std::vector<ValueId> sums;
  for (const float middle : {1.0F, 2.0F, 1.0F, 2.0F}) {
    std::vector<float> elements(100, 0.0F);
    elements[50] = middle;
    Node add;
    add.op = "Add";
    add.inputs = {
        x, graph.add_constant("c", Tensor::of<float>({100}, std::span<const float>(elements)))};
    sums.push_back(graph.node(graph.add_node(add, {graph.value(x).type})).outputs[0]);
  }
  for (const ValueId sum : sums) graph.add_output(sum);
  const Graph merged = canonicalise(graph, {.disabled = all_but(kMergeCommon)}).graph;
  EXPECT_EQ(merged.node_count(), 2U);
  EXPECT_EQ(merged.outputs()[0].value, merged.outputs()[2].value);
  EXPECT_EQ(merged.outputs()[1].value, merged.outputs()[3].value);
}

TEST(MergeCommonSubexpressions, KeepsTheNamesOfOutputs) {
  EXPECT_REWRITTEN(kMergeCommon, R"(
    x: f32[2]
    a = Relu(x)
    b = Relu(x)
    return a, b
  )",
                   R"(
    x: f32[2]
    a = Relu(x)
    return a, a as "b"
  )");
}

}  // namespace
}  // namespace braid
