#include <gtest/gtest.h>

#include "rewrite/testing/outline.h"

// Windows of two or four elements: means of whole numbers are exact then.

namespace braid {
namespace {

TEST(ActivateBeforePool, ReachesTheConvolution) {
  EXPECT_EQ(outlines_by("activate-before-pool", R"(
      x: f32[2,2,5,5]
      c = Conv(x, w: f32[3,2,3,3])
      p = MaxPool(c) kernel_shape=[2,2] strides=[2,2] pads=[1,0,0,1]
      y = Relu(p))"),
            std::vector<std::string>{outline(R"(
      x: f32[2,2,5,5]
      "c/Relu" = Conv(x, w: f32[3,2,3,3]) activation="relu"
      y = MaxPool("c/Relu") kernel_shape=[2,2] strides=[2,2] pads=[1,0,0,1] @p)")});
}

TEST(ActivateBeforePool, TakesMonotoneFunctionsOnly) {
  const auto count_with = [](const std::string& activation) {
    return count_of("activate-before-pool",
                    "x: f32[2,2,5,5]\np = MaxPool(x) kernel_shape=[2,2]\ny = " + activation);
  };
  EXPECT_EQ(count_with("LeakyRelu(p) alpha=0.5"), 1);
  EXPECT_EQ(count_with("LeakyRelu(p) alpha=-0.5"), 0);
  EXPECT_EQ(count_with("Clip(p, l: f32[] = {-1.0}, h: f32[] = {1.0})"), 1);
  EXPECT_EQ(count_with("Sigmoid(p)"), 1);
  EXPECT_EQ(count_with("Tanh(p)"), 1);
  EXPECT_EQ(count_with("HardSwish(p)"), 0);
  EXPECT_EQ(count_with("Gelu(p)"), 0);
}

TEST(ActivateBeforePool, LeavesMeansIndicesAndWindowsOfPadding) {
  EXPECT_EQ(count_of("activate-before-pool", R"(
      x: f32[2,2,5,5]
      p = AveragePool(x) kernel_shape=[2,2]
      y = Relu(p))"),
            0);
  EXPECT_EQ(count_of("activate-before-pool", R"(
      x: f32[2,2,5,5]
      p, i = MaxPool(x) kernel_shape=[2,2]
      y = Relu(p)
      return y, i)"),
            0);
  EXPECT_EQ(count_of("activate-before-pool", R"(
      x: f32[1,1,2,2]
      p = MaxPool(x) kernel_shape=[2,2] dilations=[3,3] pads=[2,2,2,2]
      y = Relu(p))"),
            0);
}

TEST(ActivateAfterPool, ActivatesFewerElements) {
  EXPECT_EQ(outlines_by("activate-after-pool", R"(
      x: f32[2,2,5,5]
      r = Relu(x)
      y = MaxPool(r) kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1] ceil_mode=1)"),
            std::vector<std::string>{outline(R"(
      x: f32[2,2,5,5]
      y_1 = MaxPool(x) kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1] ceil_mode=1 @y
      y = Relu(y_1))")});
  EXPECT_EQ(count_of("activate-after-pool", R"(
      x: f32[2,2,5,5]
      r = Sigmoid(x)
      y = GlobalMaxPool(r))"),
            1);
  EXPECT_EQ(count_of("activate-after-pool", R"(
      x: f32[2,2,5,5]
      r = Relu(x)
      y = MaxPool(r) kernel_shape=[3,3]
      return y, r)"),
            0);
}

TEST(PoolBeforeConcat, PoolsThePieces) {
  EXPECT_EQ(outlines_by("pool-before-concat", R"(
      a: f32[2,1,4,4]
      b: f32[2,2,4,4]
      c = Concat(a, b) axis=1
      y = AveragePool(c) kernel_shape=[2,2] pads=[1,1,0,0])"),
            std::vector<std::string>{outline(R"(
      a: f32[2,1,4,4]
      b: f32[2,2,4,4]
      "y/piece_0" = AveragePool(a) kernel_shape=[2,2] pads=[1,1,0,0] @"y/piece_0"
      "y/piece_1" = AveragePool(b) kernel_shape=[2,2] pads=[1,1,0,0] @"y/piece_1"
      y = Concat("y/piece_0", "y/piece_1") axis=1 @c)")});
  EXPECT_EQ(count_of("pool-before-concat", R"(
      a: f32[2,1,4,4]
      b: f32[2,1,4,4]
      c = Concat(a, b) axis=2
      y = MaxPool(c) kernel_shape=[2,2])"),
            0);
}

TEST(PoolAfterConcat, PoolsTheWhole) {
  EXPECT_EQ(outlines_by("pool-after-concat", R"(
      a: f32[2,1,4,4]
      b: f32[2,2,4,4]
      p = GlobalAveragePool(a)
      q = GlobalAveragePool(b)
      y = Concat(p, q) axis=1)"),
            std::vector<std::string>{outline(R"(
      a: f32[2,1,4,4]
      b: f32[2,2,4,4]
      y_1 = Concat(a, b) axis=1 @y
      y = GlobalAveragePool(y_1) @"p/whole")")});
}

TEST(PoolAfterConcat, LeavesOtherSizesWindowsAndReaders) {
  EXPECT_EQ(count_of("pool-after-concat", R"(
      a: f32[2,1,4,4]
      b: f32[2,2,6,6]
      p = GlobalMaxPool(a)
      q = GlobalMaxPool(b)
      y = Concat(p, q) axis=1)"),
            0);
  EXPECT_EQ(count_of("pool-after-concat", R"(
      a: f32[2,1,4,4]
      p = MaxPool(a) kernel_shape=[3,3] pads=[1,1,1,1]
      q = MaxPool(a) kernel_shape=[5,5] pads=[2,2,2,2]
      y = Concat(p, q) axis=1)"),
            0);
  EXPECT_EQ(count_of("pool-after-concat", R"(
      a: f32[2,1,4,4]
      b: f32[2,1,4,4]
      p = MaxPool(a) kernel_shape=[2,2]
      q = MaxPool(b) kernel_shape=[2,2]
      y = Concat(p, q) axis=1
      return y, q)"),
            0);
}

TEST(PoolAfterAdd, TakesMeansOfTheSum) {
  EXPECT_EQ(outlines_by("pool-after-add", R"(
      a: f32[2,2,4,4]
      b: f32[2,2,4,4]
      p = AveragePool(a) kernel_shape=[2,2] pads=[1,1,0,0]
      q = AveragePool(b) kernel_shape=[2,2] pads=[1,1,0,0]
      y = Add(p, q))"),
            std::vector<std::string>{outline(R"(
      a: f32[2,2,4,4]
      b: f32[2,2,4,4]
      y_1 = Add(a, b) @y
      y = AveragePool(y_1) kernel_shape=[2,2] pads=[1,1,0,0] @"p/of_sum")")});
  EXPECT_EQ(count_of("pool-after-add", R"(
      a: f32[2,2,4,4]
      b: f32[2,2,4,4]
      p = AveragePool(a) kernel_shape=[2,2] pads=[1,1,0,0]
      q = AveragePool(b) kernel_shape=[2,2] pads=[0,0,1,1]
      y = Add(p, q))"),
            0);
  EXPECT_EQ(count_of("pool-after-add", R"(
      a: f32[2,2,4,4]
      b: f32[2,2,4,4]
      p = MaxPool(a) kernel_shape=[2,2]
      q = MaxPool(b) kernel_shape=[2,2]
      y = Add(p, q))"),
            0);
}

TEST(PoolBeforeAdd, TakesMeansOfTheSummands) {
  EXPECT_EQ(count_of("pool-before-add", R"(
      a: f32[2,2,4,4]
      b: f32[2,2,4,4]
      s = Add(a, b)
      y = AveragePool(s) kernel_shape=[2,2] strides=[2,2])"),
            1);
  EXPECT_EQ(count_of("pool-before-add", R"(
      a: f32[2,2,4,4]
      b: f32[2,1,1,1]
      s = Add(a, b)
      y = AveragePool(s) kernel_shape=[2,2])"),
            0);
}

TEST(PoolAfterPointwise, AddsTheBiasInsideWherePaddingDoesNotCount) {
  EXPECT_EQ(outlines_by("pool-after-pointwise", R"(
      x: f32[2,4,5,5]
      p = AveragePool(x) kernel_shape=[2,2] pads=[1,1,0,0]
      y = Conv(p, w: f32[3,4,1,1], b: f32[3]) activation="relu")"),
            std::vector<std::string>{outline(R"(
      x: f32[2,4,5,5]
      y_1 = Conv(x, w: f32[3,4,1,1], b: f32[3]) dilations=[1,1] kernel_shape=[1,1] pads=[0,0,0,0] strides=[1,1] @y
      p_1 = AveragePool(y_1) kernel_shape=[2,2] pads=[1,1,0,0] @p
      y = Relu(p_1) @"y/activation")")});
}

TEST(PoolAfterPointwise, AddsTheBiasBehindWherePaddingCounts) {
  EXPECT_EQ(outlines_by("pool-after-pointwise", R"(
      x: f32[2,4,5,5]
      r: f32[2,3,5,5]
      p = AveragePool(x) kernel_shape=[2,2] pads=[1,1,0,0] count_include_pad=1
      y = Conv(p, w: f32[3,4,1,1], b: f32[3], r))"),
            std::vector<std::string>{outline(R"(
      x: f32[2,4,5,5]
      r: f32[2,3,5,5]
      y_1 = Conv(x, w: f32[3,4,1,1]) dilations=[1,1] kernel_shape=[1,1] pads=[0,0,0,0] strides=[1,1] @y
      p_1 = AveragePool(y_1) kernel_shape=[2,2] pads=[1,1,0,0] count_include_pad=1 @p
      "y/biased" = Add(p_1, "y/biased/bias": f32[1,3,1,1]) @"y/biased"
      y = Add("y/biased", r) @"y/sum")")});
}

TEST(PoolAfterPointwise, LeavesWiderConvolutionsKernelsAndReaders) {
  EXPECT_EQ(count_of("pool-after-pointwise", R"(
      x: f32[2,4,5,5]
      p = AveragePool(x) kernel_shape=[2,2] pads=[1,1,0,0]
      y = Conv(p, w: f32[5,4,1,1]))"),
            0);
  EXPECT_EQ(count_of("pool-after-pointwise", R"(
      x: f32[2,4,5,5]
      p = AveragePool(x) kernel_shape=[2,2] pads=[1,1,0,0]
      y = Conv(p, w: f32[3,4,1,1]) strides=[2,2])"),
            0);
  EXPECT_EQ(count_of("pool-after-pointwise", R"(
      x: f32[2,4,5,5]
      p = AveragePool(x) kernel_shape=[2,2] pads=[1,1,0,0]
      y = Conv(p, w: f32[3,4,1,1])
      return y, p)"),
            0);
}

TEST(PoolBeforePointwise, ConvolvesFewerPixels) {
  EXPECT_EQ(outlines_by("pool-before-pointwise", R"(
      x: f32[2,4,6,6]
      c = Conv(x, w: f32[4,2,1,1], b: f32[4]) group=2
      y = AveragePool(c) kernel_shape=[2,2] strides=[2,2])"),
            std::vector<std::string>{outline(R"(
      x: f32[2,4,6,6]
      y_1 = AveragePool(x) kernel_shape=[2,2] strides=[2,2] @y
      y = Conv(y_1, w: f32[4,2,1,1], b: f32[4]) group=2 @c)")});
  EXPECT_EQ(count_of("pool-before-pointwise", R"(
      x: f32[2,4,2,2]
      c = Conv(x, w: f32[6,4,1,1], b: f32[6])
      y = GlobalAveragePool(c))"),
            1);
}

TEST(PoolBeforePointwise, LeavesActivationsAndPaddingThatCounts) {
  EXPECT_EQ(count_of("pool-before-pointwise", R"(
      x: f32[2,4,6,6]
      c = Conv(x, w: f32[4,4,1,1]) activation="relu"
      y = AveragePool(c) kernel_shape=[2,2] strides=[2,2])"),
            0);
  EXPECT_EQ(count_of("pool-before-pointwise", R"(
      x: f32[2,4,6,6]
      c = Conv(x, w: f32[4,4,1,1], b: f32[4])
      y = AveragePool(c) kernel_shape=[2,2] strides=[2,2] pads=[1,1,1,1] count_include_pad=1)"),
            0);
  EXPECT_EQ(count_of("pool-before-pointwise", R"(
      x: f32[2,4,6,6]
      c = Conv(x, w: f32[4,4,1,1])
      y = AveragePool(c) kernel_shape=[2,2] strides=[2,2] pads=[1,1,1,1] count_include_pad=1)"),
            1);
  EXPECT_EQ(count_of("pool-before-pointwise", R"(
      x: f32[2,4,6,6]
      c = Conv(x, w: f32[4,4,3,3])
      y = AveragePool(c) kernel_shape=[2,2] strides=[2,2])"),
            0);
}

TEST(PoolAsConvolution, SpreadsTheWeights) {
  EXPECT_EQ(outlines_by("pool-as-convolution", R"(
      x: f32[2,4,5,5]
      p = AveragePool(x) kernel_shape=[2,4] strides=[1,2] pads=[1,2,0,1] count_include_pad=1
      y = Conv(p, w: f32[3,4,1,1], b: f32[3]) activation="relu")"),
            std::vector<std::string>{outline(R"(
      x: f32[2,4,5,5]
      y = Conv(x, "y/weights": f32[3,4,2,4], b: f32[3]) activation="relu" dilations=[1,1] kernel_shape=[2,4] pads=[1,2,0,1] strides=[1,2] @y)")});
}

TEST(PoolAsConvolution, LeavesDivisorsThatVary) {
  EXPECT_EQ(count_of("pool-as-convolution", R"(
      x: f32[2,4,5,5]
      p = AveragePool(x) kernel_shape=[2,2] pads=[1,1,0,0]
      y = Conv(p, w: f32[3,4,1,1]))"),
            0);
  EXPECT_EQ(count_of("pool-as-convolution", R"(
      x: f32[2,4,5,5]
      p = AveragePool(x) kernel_shape=[2,2] strides=[2,2] count_include_pad=1 ceil_mode=1
      y = Conv(p, w: f32[3,4,1,1]))"),
            0);
  EXPECT_EQ(count_of("pool-as-convolution", R"(
      x: f32[2,4,5,5]
      p = AveragePool(x) kernel_shape=[2,2]
      y = Conv(p, w: f32[4,2,1,1]) group=2)"),
            0);
}

}  // namespace
}  // namespace braid
