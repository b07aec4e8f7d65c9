#include <gtest/gtest.h>

#include "rewrite/testing/outline.h"

namespace braid {
namespace {

TEST(ScaleIntoWeights, TakesTheDivisorOfAttentionScoresIntoTheQueryWeights) {
  EXPECT_EQ(outlines_by("scale-into-weights", R"(
      x: f32[2,3,4]
      q = MatMul(x, wq: f32[4,6], bq: f32[6])
      k = MatMul(x, wk: f32[4,6], bk: f32[6])
      q4 = Reshape(q, shape: i64[4] = {2,3,2,3})
      k4 = Reshape(k, shape)
      qh = Transpose(q4) perm=[0,2,1,3]
      kh = Transpose(k4) perm=[0,2,3,1]
      scores = MatMul(qh, kh)
      scaled = Div(scores, root: f32[] = {2.0})
      y = Softmax(scaled) axis=-1)"),
            std::vector<std::string>{outline(R"(
      x: f32[2,3,4]
      k = MatMul(x, wk: f32[4,6], bk: f32[6])
      k4 = Reshape(k, shape: i64[4] = {2,3,2,3})
      kh = Transpose(k4) perm=[0,2,3,1]
      q_1 = MatMul(x, "q/weights": f32[4,6], "q/bias": f32[6]) @q
      Reshape = Reshape(q_1, shape)
      Transpose = Transpose(Reshape) perm=[0,2,1,3]
      scaled = MatMul(Transpose, kh)
      y = Softmax(scaled) axis=-1)")});
}

TEST(ScaleIntoWeights, ReachesConvolutionsAndGemms) {
  EXPECT_EQ(count_of("scale-into-weights", R"(
      x: f32[2,4,5,5]
      c = Conv(x, w: f32[6,2,3,3], b: f32[6]) group=2 pads=[1,1,0,1]
      y = Mul(half: f32[1,1] = {0.5}, c))"),
            1);
  EXPECT_EQ(count_of("scale-into-weights", R"(
      x: f32[2,4]
      c = Gemm(x, w: f32[6,4], b: f32[6]) transB=1 alpha=2.0 beta=3.0
      y = Div(c, s: f32[1] = {-4.0}))"),
            1);
  EXPECT_EQ(count_of("scale-into-weights", R"(
      x: f32[1,2,3,3]
      c = ConvTranspose(x, w: f32[2,3,2,2], b: f32[3])
      y = Mul(c, s: f32[] = {3.0}))"),
            1);
}

TEST(ScaleIntoWeights, PassesReluOnlyWhenTheFactorIsPositive) {
  EXPECT_EQ(count_of("scale-into-weights", R"(
      x: f32[2,4]
      c = MatMul(x, w: f32[4,3]) activation="relu"
      y = Mul(c, s: f32[] = {2.0}))"),
            1);
  EXPECT_EQ(count_of("scale-into-weights", R"(
      x: f32[2,4]
      c = MatMul(x, w: f32[4,3]) activation="relu"
      y = Mul(c, s: f32[] = {-2.0}))"),
            0);
  EXPECT_EQ(count_of("scale-into-weights", R"(
      x: f32[2,4]
      c = MatMul(x, w: f32[4,3]) activation="tanh"
      y = Mul(c, s: f32[] = {2.0}))"),
            0);
}

TEST(ScaleIntoWeights, LeavesWhatOthersRead) {
  EXPECT_EQ(count_of("scale-into-weights", R"(
      x: f32[2,4]
      c = MatMul(x, w: f32[4,3])
      y = Mul(c, s: f32[] = {2.0})
      return c, y)"),
            0);
}

TEST(ScaleIntoWeights, LeavesResidualsComputedWeightsAndWideFactors) {
  EXPECT_EQ(count_of("scale-into-weights", R"(
      x: f32[2,4]
      r: f32[2,3]
      c = MatMul(x, w: f32[4,3], -, r)
      y = Mul(c, s: f32[] = {2.0}))"),
            0);
  EXPECT_EQ(count_of("scale-into-weights", R"(
      x: f32[2,4]
      w: f32[4,3]
      c = MatMul(x, w)
      y = Mul(c, s: f32[] = {2.0}))"),
            0);
  EXPECT_EQ(count_of("scale-into-weights", R"(
      x: f32[2,4]
      c = MatMul(x, w: f32[4,3])
      y = Mul(c, s: f32[1,1,1] = {2.0}))"),
            0);
  EXPECT_EQ(count_of("scale-into-weights", R"(
      x: f32[2,4]
      c = MatMul(x, w: f32[4,3])
      y = Div(s: f32[] = {2.0}, c))"),
            0);
  EXPECT_EQ(count_of("scale-into-weights", R"(
      x: f32[2,4]
      c = MatMul(x, w: f32[4,3])
      y = Div(c, s: f32[] = {0.0}))"),
            0);
}

TEST(ScaleIntoNextWeights, ScalesTheRowsOfEveryProduct) {
  EXPECT_EQ(outlines_by("scale-into-next-weights", R"(
      x: f32[2,3,4]
      n = Mul(gamma: f32[4], x)
      a = MatMul(n, wa: f32[4,5], ba: f32[5]) activation="relu"
      b = MatMul(n, wb: f32[4,2]))"),
            std::vector<std::string>{outline(R"(
      x: f32[2,3,4]
      a = MatMul(x, "a/weights": f32[4,5], ba: f32[5]) activation="relu" @a
      b = MatMul(x, "b/weights": f32[4,2]) @b)")});
}

TEST(ScaleIntoNextWeights, ScalesTheChannelsThatAConvolutionReads) {
  EXPECT_EQ(count_of("scale-into-next-weights", R"(
      x: f32[2,4,5,5]
      n = Mul(x, s: f32[1,4,1,1])
      y = Conv(n, w: f32[3,4,3,3], b: f32[3]) pads=[1,1,1,1] strides=[2,2])"),
            1);
  EXPECT_EQ(count_of("scale-into-next-weights", R"(
      x: f32[2,4,5,5]
      n = Div(x, s: f32[] = {2.0})
      y = Conv(n, w: f32[4,2,3,3]) group=2)"),
            1);
  EXPECT_EQ(count_of("scale-into-next-weights", R"(
      x: f32[2,4]
      n = Mul(x, s: f32[4])
      y = Gemm(n, w: f32[3,4], b: f32[2,3]) transB=1)"),
            1);
}

TEST(ScaleIntoNextWeights, KeepsAReaderThatAddsAnother) {
  EXPECT_EQ(outlines_by("scale-into-next-weights", R"(
      x: f32[2,4]
      n = Mul(x, s: f32[] = {0.5})
      a = MatMul(n, wa: f32[4,3])
      b = MatMul(n, wb: f32[4,3], -, a))"),
            std::vector<std::string>{outline(R"(
      x: f32[2,4]
      a = MatMul(x, "a/weights": f32[4,3]) @a
      b = MatMul(x, "b/weights": f32[4,3], -, a) @b)")});
}

TEST(ScaleIntoNextWeights, LeavesOtherReadersAndAxes) {
  EXPECT_EQ(count_of("scale-into-next-weights", R"(
      x: f32[2,4]
      n = Mul(x, s: f32[4])
      y = MatMul(n, w: f32[4,3])
      z = Relu(n))"),
            0);
  EXPECT_EQ(count_of("scale-into-next-weights", R"(
      x: f32[2,4]
      n = Mul(x, s: f32[2,1])
      y = MatMul(n, w: f32[4,3]))"),
            0);
  EXPECT_EQ(count_of("scale-into-next-weights", R"(
      x: f32[2,4,5,5]
      n = Mul(x, s: f32[4,1,1])
      y = Conv(n, w: f32[4,2,3,3]) group=2)"),
            0);
  EXPECT_EQ(count_of("scale-into-next-weights", R"(
      x: f32[1,4,4,4]
      n = Mul(x, s: f32[4])
      y = Conv(n, w: f32[4,4,3,3]))"),
            0);
  EXPECT_EQ(count_of("scale-into-next-weights", R"(
      x: f32[4,4]
      n = Mul(x, s: f32[] = {2.0})
      y = MatMul(n, w: f32[4,4], -, n))"),
            0);
  EXPECT_EQ(count_of("scale-into-next-weights", R"(
      x: f32[4,4]
      n = Mul(x, s: f32[4])
      y = Gemm(n, w: f32[4,4]) transA=1)"),
            0);
}

}  // namespace
}  // namespace braid
