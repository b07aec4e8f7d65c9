#include "rewrite/testing/canonicalised.h"

namespace braid {
namespace {

constexpr auto kFoldBatchNorm = "fold-batch-norm";

TEST(FoldBatchNorm, FoldsIntoAConvolution) {
  EXPECT_EQ(rewritten_shape(kFoldBatchNorm, R"(
    x: f32[2,3,6,5]
    c = Conv(x, w: f32[4,3,3,2], b: f32[4]) pads=[1,0,2,1] strides=[2,1] @"conv"
    n = BatchNormalization(c, g: f32[4], h: f32[4], m: f32[4], v: f32[4] = {1,2,0.5,3}) epsilon=0.25
    y = Relu(n)
  )"),
            plain_shape(R"(
    x: f32[2,3,6,5]
    n = Conv(x, "w/folded": f32[4,3,3,2], "w/folded_bias": f32[4]) pads=[1,0,2,1] strides=[2,1] @"conv"
    y = Relu(n)
  )"));
}

TEST(FoldBatchNorm, UsesTheEpsilonOfTheNode) {
  const Graph graph = canonicalise(parse(R"(
    x: f32[1,1,1,1]
    c = Conv(x, w: f32[1,1,1,1] = {3})
    y = BatchNormalization(c, g: f32[1] = {2}, h: f32[1] = {5}, m: f32[1] = {7}, v: f32[1] = {3}) epsilon=1.0
  )"))
                          .graph;
  const Node& conv = graph.node(graph.value(graph.find("y")).producer);
  EXPECT_EQ(graph.value(conv.inputs[1]).constant.data<float>()[0], 3.0F);
  EXPECT_EQ(graph.value(conv.inputs[2]).constant.data<float>()[0], -2.0F);
}

TEST(FoldBatchNorm, FoldsIntoGroupedAndTransposedConvolutions) {
  EXPECT_EQ(rewritten_shape(kFoldBatchNorm, R"(
    x: f32[2,4,5,5]
    a = Conv(x, w: f32[6,2,3,3]) group=2
    n = BatchNormalization(a, g: f32[6], h: f32[6], m: f32[6], v: f32[6] = {1,2,3,4,5,6})
    b = ConvTranspose(n, t: f32[6,2,2,2]) group=3
    y = BatchNormalization(b, p: f32[6], q: f32[6], r: f32[6], s: f32[6] = {6,5,4,3,2,1})
  )"),
            plain_shape(R"(
    x: f32[2,4,5,5]
    n = Conv(x, "w/folded": f32[6,2,3,3], "w/folded_bias": f32[6]) group=2
    y = ConvTranspose(n, "t/folded": f32[6,2,2,2], "t/folded_bias": f32[6]) group=3
  )"));
}

TEST(FoldBatchNorm, FoldsIntoAProductWhoseRowsAreAMatrixOnlyThen) {
  EXPECT_EQ(rewritten_shape(kFoldBatchNorm, R"(
    x: f32[2,3,4]
    a = MatMul(x, w: f32[4,5])
    r = Reshape(a, s: i64[2] = {-1,5})
    n = BatchNormalization(r, g: f32[5], h: f32[5], m: f32[5], v: f32[5] = {1,2,3,4,5})
    y = Reshape(n, t: i64[3] = {2,3,5})
  )"),
            plain_shape(R"(
    x: f32[2,3,4]
    "a/folded" = MatMul(x, "w/folded": f32[4,5], "w/folded_bias": f32[5]) @"a/folded"
    n = Reshape("a/folded", s: i64[2] = {-1,5})
    y = Reshape(n, t: i64[3] = {2,3,5})
  )"));
}

TEST(FoldBatchNorm, AReshapeThatMixesColumnsStaysBetween) {
  const auto stays = [](std::string_view text) {
    EXPECT_EQ(rewritten_shape(kFoldBatchNorm, text), plain_shape(text));
  };
  stays(R"(
    x: f32[2,3,4]
    a = MatMul(x, w: f32[4,6])
    r = Reshape(a, s: i64[2] = {-1,3})
    y = BatchNormalization(r, g: f32[3], h: f32[3], m: f32[3], v: f32[3] = {1,2,3})
  )");
  stays(R"(
    x: f32[1,2,3,4]
    a = Conv(x, w: f32[4,2,1,1])
    r = Reshape(a, s: i64[2] = {-1,4})
    y = BatchNormalization(r, g: f32[4], h: f32[4], m: f32[4], v: f32[4] = {1,2,3,4})
  )");
}

TEST(FoldBatchNorm, FoldsIntoMatrixProducts) {
  EXPECT_EQ(rewritten_shape(kFoldBatchNorm, R"(
    x: f32[5,3]
    a = Gemm(x, w: f32[4,3], b: f32[1,4]) alpha=0.5 beta=2.0 transB=1
    n = BatchNormalization(a, g: f32[4], h: f32[4], m: f32[4], v: f32[4] = {1,2,0.5,3})
    c = Gemm(n, u: f32[4,2])
    k = BatchNormalization(c, p: f32[2], q: f32[2], r: f32[2], s: f32[2] = {1,2})
    d = MatMul(k, z: f32[2,2])
    y = BatchNormalization(d, p, q, r, s)
  )"),
            plain_shape(R"(
    x: f32[5,3]
    n = Gemm(x, "w/folded": f32[4,3], "w/folded_bias": f32[4]) alpha=0.5 transB=1
    k = Gemm(n, "u/folded": f32[4,2], "u/folded_bias": f32[2])
    y = MatMul(k, "z/folded": f32[2,2], "z/folded_bias": f32[2])
  )"));
}

TEST(FoldBatchNorm, FoldsIntoEveryPartOfAConcat) {
  EXPECT_EQ(rewritten_shape(kFoldBatchNorm, R"(
    x: f32[2,3,4,4]
    a = Conv(x, w: f32[2,3,1,1])
    b = Conv(x, u: f32[1,3,1,1], z: f32[1])
    c = Concat(a, b) axis=1
    y = BatchNormalization(c, g: f32[3], h: f32[3], m: f32[3], v: f32[3] = {1,2,3})
  )"),
            plain_shape(R"(
    x: f32[2,3,4,4]
    "a/folded" = Conv(x, "w/folded": f32[2,3,1,1], "w/folded_bias": f32[2]) @"a/folded"
    "b/folded" = Conv(x, "u/folded": f32[1,3,1,1], "u/folded_bias": f32[1]) @"b/folded"
    y = Concat("a/folded", "b/folded") axis=1
  )"));
}

TEST(FoldBatchNorm, LeavesSharedWeightsToTheOthers) {
  EXPECT_EQ(rewritten_shape(kFoldBatchNorm, R"(
    x: f32[1,2,4,4]
    a = Conv(x, w: f32[2,2,1,1])
    b = Conv(x, w) strides=[2,2]
    y = BatchNormalization(a, g: f32[2], h: f32[2], m: f32[2], v: f32[2] = {1,2})
    return y, b
  )"),
            plain_shape(R"(
    x: f32[1,2,4,4]
    b = Conv(x, w: f32[2,2,1,1]) strides=[2,2]
    y = Conv(x, "w/folded": f32[2,2,1,1], "w/folded_bias": f32[2])
    return y, b
  )"));
}

TEST(FoldBatchNorm, KeepsAConvolutionThatOthersSee) {
  EXPECT_UNCHANGED(kFoldBatchNorm, R"(
    x: f32[1,2,4,4]
    a = Conv(x, w: f32[2,2,1,1])
    y = BatchNormalization(a, g: f32[2], h: f32[2], m: f32[2], v: f32[2] = {1,2})
    z = Relu(a)
    return y, z
  )");
  EXPECT_UNCHANGED(kFoldBatchNorm, R"(
    x: f32[1,2,4,4]
    a = Conv(x, w: f32[2,2,1,1])
    y = BatchNormalization(a, g: f32[2], h: f32[2], m: f32[2], v: f32[2] = {1,2})
    return y, a
  )");
}

TEST(FoldBatchNorm, NeedsALinearProducerAndConstantWeights) {
  EXPECT_UNCHANGED(kFoldBatchNorm, R"(
    x: f32[1,2,4,4]
    w: f32[2,2,1,1]
    a = Conv(x, w)
    b = BatchNormalization(a, g: f32[2], h: f32[2], m: f32[2], v: f32[2] = {1,2})
    c = Conv(b, u: f32[2,2,1,1]) activation="relu"
    d = BatchNormalization(c, g, h, m, v)
    e = Conv(d, u, -, x)
    f = BatchNormalization(e, g, h, m, v)
    y = BatchNormalization(f, g, h, m, v)
  )");
}

// sqrt of a negative variance is NaN where the model says so, not in all of the output.
TEST(FoldBatchNorm, LeavesStatisticsThatAreNotNumbers) {
  EXPECT_UNCHANGED(kFoldBatchNorm, R"(
    x: f32[1,2,4,4]
    a = Conv(x, w: f32[2,2,1,1])
    y = BatchNormalization(a, g: f32[2], h: f32[2], m: f32[2], v: f32[2] = {1,-2})
  )");
}

}  // namespace
}  // namespace braid
