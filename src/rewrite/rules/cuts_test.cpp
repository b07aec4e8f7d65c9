#include <gtest/gtest.h>

#include "rewrite/rules/pieces.h"
#include "rewrite/testing/searched.h"

namespace braid {
namespace {

using Lengths = std::vector<std::int64_t>;

/// The numbers of parts into which a rule cuts.
Lengths parts_by(std::string_view rule, std::string_view text) {
  Lengths parts;
  for (const Rewriting& one : rewritings(rule, canonical_graph(text)))
    parts.push_back(one.match.parameters[0]);
  return parts;
}

TEST(EvenLengths, AreMultiplesOfTheGrainWherePossible) {
  EXPECT_EQ(even_lengths(64, 2, 8), (Lengths{32, 32}));
  EXPECT_EQ(even_lengths(128, 3, 8), (Lengths{48, 40, 40}));
  EXPECT_EQ(even_lengths(101, 3, 8), (Lengths{32, 32, 37}));
  EXPECT_EQ(even_lengths(7, 2, 8), (Lengths{4, 3}));
}

TEST(CutConvolution, MakesOneForEachPartOfTheChannels) {
  EXPECT_EQ(outlined_by("cut-convolution", R"(
      x: f32[1,2,3,3]
      y = Conv(x, w: f32[64,2,1,1], b: f32[64]) activation="relu")"),
            std::vector<std::string>{outline(R"(
      x: f32[1,2,3,3]
      "y/0" = Conv(x, "y/0/weights": f32[32,2,1,1], "y/0/bias": f32[32]) activation="relu" dilations=[1,1] group=1 kernel_shape=[1,1] pads=[0,0,0,0] strides=[1,1] @"y/0"
      "y/1" = Conv(x, "y/1/weights": f32[32,2,1,1], "y/1/bias": f32[32]) activation="relu" dilations=[1,1] group=1 kernel_shape=[1,1] pads=[0,0,0,0] strides=[1,1] @"y/1"
      y = Concat("y/0", "y/1") axis=1 @"y/pieces")")});
}

TEST(CutConvolution, CutsDenseOnesAnywhere) {
  EXPECT_EQ(parts_by("cut-convolution", R"(
      x: f32[2,3,6,5]
      y = Conv(x, w: f32[130,3,3,1]) pads=[1,0,2,1] strides=[2,1] dilations=[2,1])"),
            (Lengths{2, 3, 4}));
  EXPECT_TRUE(
      parts_by("cut-convolution", "x: f32[1,3,2,2]\ny = Conv(x, w: f32[63,3,1,1])").empty());
}

TEST(CutConvolution, CutsGroupedOnesBetweenGroups) {
  EXPECT_EQ(parts_by("cut-convolution", R"(
      x: f32[2,12,5,4]
      y = Conv(x, w: f32[132,2,3,3], b: f32[132]) group=6 pads=[1,0,2,1] strides=[2,1] activation="relu")"),
            (Lengths{2, 3}));
  EXPECT_EQ(parts_by("cut-convolution", R"(
      x: f32[2,128,5,4]
      y = Conv(x, w: f32[128,1,1,3]) group=128)"),
            (Lengths{2, 4}));
  EXPECT_EQ(parts_by("cut-convolution", R"(
      x: f32[2,6,5,4]
      y = Conv(x, w: f32[64,3,1,3]) group=2)"),
            Lengths{2});
}

TEST(CutConvolution, JoinsTheConcatThatFollows) {
  const auto graphs = outlined_by("cut-convolution", R"(
      x: f32[1,2,3,3]
      c = Conv(x, w: f32[64,2,1,1])
      y = Concat(x, c) axis=1)");
  ASSERT_EQ(graphs.size(), 1U);
  EXPECT_NE(graphs[0].find("y = Concat(x, c/0, c/1) axis=1"), std::string::npos) << graphs[0];
}

TEST(CutConvolution, LeavesSumsAndComputedWeightsAlone) {
  EXPECT_TRUE(parts_by("cut-convolution", R"(
      x: f32[1,64,3,3]
      c = Conv(x, w: f32[64,64,1,1])
      y = Add(c, x))")
                  .empty());
  EXPECT_TRUE(parts_by("cut-convolution", R"(
      x: f32[1,2,3,3]
      w: f32[64,2,1,1]
      y = Conv(x, w))")
                  .empty());
}

TEST(CutProduct, MakesOneForEachPartOfTheColumns) {
  EXPECT_EQ(outlined_by("cut-product", R"(
      x: f32[2,3,4]
      y = MatMul(x, w: f32[4,128], b: f32[128]) activation="relu")"),
            std::vector<std::string>{outline(R"(
      x: f32[2,3,4]
      "y/0" = MatMul(x, "y/0/weights": f32[4,64], "y/0/bias": f32[64]) activation="relu" @"y/0"
      "y/1" = MatMul(x, "y/1/weights": f32[4,64], "y/1/bias": f32[64]) activation="relu" @"y/1"
      y = Concat("y/0", "y/1") axis=2 @"y/pieces")")});
}

TEST(CutProduct, TakesEveryFormOfGemm) {
  EXPECT_EQ(parts_by("cut-product", R"(
      x: f32[4,3]
      y = Gemm(x, w: f32[260,4], b: f32[3,260]) transA=1 transB=1 alpha=2.0 beta=3.0)"),
            (Lengths{2, 3, 4}));
  EXPECT_EQ(parts_by("cut-product", R"(
      x: f32[3,4]
      y = Gemm(x, w: f32[4,192], b: f32[3,1]))"),
            (Lengths{2, 3}));
  EXPECT_EQ(parts_by("cut-product", R"(
      x: f32[4]
      y = MatMul(x, w: f32[4,130]))"),
            Lengths{2});
}

TEST(CutProduct, LeavesNarrowBatchedAndSummedOnesAlone) {
  EXPECT_TRUE(parts_by("cut-product", "x: f32[3,4]\ny = MatMul(x, w: f32[4,127])").empty());
  EXPECT_TRUE(parts_by("cut-product", "x: f32[2,3,4]\ny = MatMul(x, w: f32[2,4,128])").empty());
  EXPECT_TRUE(parts_by("cut-product", R"(
      x: f32[3,128]
      p = MatMul(x, w: f32[128,128])
      y = Add(p, x))")
                  .empty());
}

TEST(PartSiblings, MakesOneConvolutionForEachPiece) {
  EXPECT_EQ(outlined_by("part-siblings", R"(
      x: f32[1,2,3,3]
      c = Conv(x, w: f32[5,2,3,1], b: f32[5]) activation="relu"
      y, z = Split(c, l: i64[2] = {2,3}) axis=1)"),
            std::vector<std::string>{outline(R"(
      x: f32[1,2,3,3]
      y = Conv(x, "c/0/weights": f32[2,2,3,1], "c/0/bias": f32[2]) activation="relu" dilations=[1,1] group=1 kernel_shape=[3,1] pads=[0,0,0,0] strides=[1,1] @"c/0"
      z = Conv(x, "c/1/weights": f32[3,2,3,1], "c/1/bias": f32[3]) activation="relu" dilations=[1,1] group=1 kernel_shape=[3,1] pads=[0,0,0,0] strides=[1,1] @"c/1")")});
}

TEST(PartSiblings, TakesGroupedOnesSplitBetweenGroups) {
  EXPECT_EQ(rewritings("part-siblings", canonical_graph(R"(
      x: f32[2,6,5,4]
      c = Conv(x, w: f32[6,2,3,3]) group=3 pads=[1,0,2,1] strides=[2,1]
      y, z = Split(c, l: i64[2] = {2,4}) axis=1)"))
                .size(),
            1U);
  EXPECT_TRUE(rewritings("part-siblings", canonical_graph(R"(
      x: f32[2,6,5,4]
      c = Conv(x, w: f32[6,2,3,3]) group=3
      y, z = Split(c, l: i64[2] = {3,3}) axis=1)"))
                  .empty());
}

TEST(PartSiblings, LeavesOtherReadersAndAxesAlone) {
  EXPECT_TRUE(rewritings("part-siblings", canonical_graph(R"(
      x: f32[2,2,4,4]
      c = Conv(x, w: f32[6,2,1,1])
      y, z = Split(c, l: i64[2] = {3,3}) axis=1
      return y, z, c)"))
                  .empty());
  EXPECT_TRUE(rewritings("part-siblings", canonical_graph(R"(
      x: f32[2,2,4,4]
      c = Conv(x, w: f32[6,2,1,1])
      y, z = Split(c, l: i64[2] = {2,2}) axis=2)"))
                  .empty());
}

}  // namespace
}  // namespace braid
