#include "base/error.h"
#include "rewrite/testing/canonicalised.h"

namespace braid {
namespace {

constexpr auto kFoldConstants = "fold-constants";

TEST(FoldConstants, FoldsWhatReadsOnlyConstants) {
  EXPECT_REWRITTEN(kFoldConstants, R"(
    x: f32[2]
    a = Add(one: f32[2] = {1,2}, two: f32[2] = {3,4})
    b = Mul(a, a)
    y = Add(x, b)
  )",
                   R"(
    x: f32[2]
    y = Add(x, b: f32[2] = {16,36})
  )");
}

// x.view(x.size(0), -1) and x[:, :, 1:] as PyTorch writes them.
TEST(FoldConstants, FoldsShapeComputations) {
  EXPECT_REWRITTEN(kFoldConstants, R"(
    x: f32[2,3,4]
    s = Shape(x)
    n = Gather(s, zero: i64[] = {0}) axis=0
    u = Unsqueeze(n, axes: i64[1] = {0})
    shape = Concat(u, rest: i64[1] = {-1}) axis=0
    y = Reshape(x, shape)
  )",
                   R"(
    x: f32[2,3,4]
    y = Reshape(x, shape: i64[2] = {2,-1})
  )");
}

TEST(FoldConstants, DoesNotMakeGiants) {
  const Canonicalised result = canonicalise(parse(R"(
    x: f32[1]
    a = ConstantOfShape(dims: i64[3] = {1000,1000,1000}) value=f32[1]{1.0}
    y = Add(x, a)
  )"));
  EXPECT_EQ(result.graph.node_count(), 2U);
}

// Each of these would be allowed alone.
TEST(FoldConstants, DoesNotMakeManyLargeConstants) {
  std::string text = "x: f32[1]\n";
  for (int i = 0; i < 12; ++i)
    text += "a" + std::to_string(i) + " = ConstantOfShape(d" + std::to_string(i) + ": i64[1] = {" +
            std::to_string(4000000 - i) + "}) value=f32[1]{1.0}\n";
  const Canonicalised result = canonicalise(parse(text));
  EXPECT_GE(result.graph.node_count(), 7U);
}

/// A tied embedding, which a network reads by rows and multiplies with turned.
TEST(FoldConstants, DoesNotTurnALargeMatrixUntilSomebodyReadsIt) {
  const Graph graph = canonicalise(parse(R"(
    x: f32[3,128]
    t = Transpose(w: f32[256,128])
    u = Transpose(w) perm=[1,0]
    a = MatMul(x, t)
    b = MatMul(x, u)
    y = Sub(a, b)
  )"))
                          .graph;
  std::vector<Tensor> turned;
  for (const ValueId id : graph.value_ids())
    if (graph.is_constant(id)) turned.push_back(graph.value(id).constant);
  ASSERT_EQ(turned.size(), 1U) << "equal ones are one";
  EXPECT_TRUE(turned[0].is_promised());
  const Tensor from = turned[0].turned_from();
  ASSERT_EQ(from.dims(), (Dims{256, 128}));
  EXPECT_EQ(turned[0].data<float>()[5 * 256 + 7], from.data<float>()[7 * 128 + 5]);
}

TEST(FoldConstants, SharesTheBytesOfAReshapedWeight) {
  const Graph graph = parse(R"(
    x: f32[4,2]
    r = Reshape(w: f32[8], shape: i64[2] = {2,4})
    y = MatMul(x, r)
  )");
  const Graph folded = canonicalise(graph, {.disabled = all_but(kFoldConstants)}).graph;
  EXPECT_EQ(folded.value(folded.find("r")).constant.bytes().data(),
            graph.value(graph.find("w")).constant.bytes().data());
}

}  // namespace
}  // namespace braid
