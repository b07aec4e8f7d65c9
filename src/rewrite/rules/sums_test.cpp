#include <gtest/gtest.h>

#include "rewrite/testing/searched.h"

namespace braid {
namespace {

std::size_t count_of(std::string_view rule, std::string_view text) {
  return rewritings(rule, canonical_graph(text)).size();
}

TEST(JoinSum, ConvolvesBothInputsAtOnce) {
  EXPECT_EQ(outlined_by("join-sum", R"(
      x: f32[1,2,3,3]
      y: f32[1,3,3,3]
      a = Conv(x, u: f32[4,2,1,1], b: f32[4])
      c = Conv(y, v: f32[4,3,1,1], d: f32[4])
      s = Add(a, c)
      z = Relu(s))"),
            std::vector<std::string>{outline(R"(
      x: f32[1,2,3,3]
      y: f32[1,3,3,3]
      "s/inputs" = Concat(x, y) axis=1 @"s/inputs"
      z = Conv("s/inputs", "s/weights": f32[4,5,1,1], "s/bias": f32[4]) activation="relu" dilations=[1,1] kernel_shape=[1,1] pads=[0,0,0,0] strides=[1,1] @s)")});
}

TEST(JoinSum, AddsTheResidualsOfBoth) {
  EXPECT_EQ(count_of("join-sum", R"(
      x: f32[2,2,6,5]
      y: f32[2,2,3,5]
      p = Relu(x)
      a = Conv(p, u: f32[2,2,3,1], b: f32[2]) pads=[1,0,1,0] strides=[2,1]
      c = Conv(x, v: f32[2,2,1,3]) pads=[0,1,0,1] strides=[2,1]
      s = Add(c, y)
      t = Add(a, s)
      z = Relu(t))"),
            1U);
  const auto graphs = outlined_by("join-sum", R"(
      x: f32[2,2,6,5]
      y: f32[2,2,6,5]
      a = Conv(x, u: f32[2,2,3,1]) pads=[1,0,1,0]
      c = Conv(y, v: f32[2,2,1,3], d: f32[2]) pads=[0,1,0,1]
      s = Add(a, x)
      t = Add(c, y)
      z = Add(s, t))");
  ASSERT_EQ(graphs.size(), 1U);
  EXPECT_NE(graphs[0].find("z = Add(z/sum, x)"), std::string::npos) << graphs[0];
}

TEST(JoinSum, TakesAResidualThatAConvolutionMade) {
  EXPECT_EQ(count_of("join-sum", R"(
      x: f32[2,3,6,5]
      p = Relu(x)
      a = Conv(p, u: f32[2,3,3,3], b: f32[2]) pads=[1,0,2,1] strides=[2,1] dilations=[1,2]
      c = Conv(x, v: f32[2,3,3,3]) pads=[1,0,2,1] strides=[2,1] dilations=[1,2]
      s = Add(a, c)
      z = Relu(s))"),
            1U);
}

TEST(JoinSum, LeavesGroupedActivatedSharedAndBroadcastOnesAlone) {
  EXPECT_EQ(count_of("join-sum", R"(
      x: f32[1,4,3,3]
      y: f32[1,4,3,3]
      a = Conv(x, u: f32[4,1,1,1]) group=4
      c = Conv(y, v: f32[4,1,1,1]) group=4
      s = Add(a, c))"),
            0U);
  EXPECT_EQ(count_of("join-sum", R"(
      x: f32[1,4,3,3]
      y: f32[1,4,3,3]
      a = Conv(x, u: f32[4,4,1,1]) activation="relu"
      c = Conv(y, v: f32[4,4,1,1])
      s = Add(a, c))"),
            0U);
  EXPECT_EQ(count_of("join-sum", R"(
      x: f32[1,4,3,3]
      y: f32[1,4,3,3]
      a = Conv(x, u: f32[4,4,1,1])
      c = Conv(y, v: f32[4,4,1,1])
      s = Add(a, c)
      return s, a)"),
            0U);
  EXPECT_EQ(count_of("join-sum", R"(
      x: f32[1,4,3,3]
      y: f32[1,4,1,1]
      a = Conv(x, u: f32[4,4,1,1])
      c = Conv(y, v: f32[4,4,1,1])
      s = Add(a, c))"),
            0U);
  EXPECT_EQ(count_of("join-sum", R"(
      x: f32[1,4,6,6]
      y: f32[1,4,3,3]
      a = Conv(x, u: f32[4,4,1,1]) strides=[2,2]
      c = Conv(y, v: f32[4,4,1,1])
      s = Add(a, c))"),
            0U);
}

TEST(JoinSumOfSame, AddsWeights) {
  EXPECT_EQ(outlined_by("join-sum-of-same", R"(
      x: f32[1,2,3,3]
      a = Conv(x, u: f32[4,2,3,1], b: f32[4]) pads=[1,0,1,0]
      c = Conv(x, v: f32[4,2,1,3]) pads=[0,1,0,1]
      s = Add(a, c))"),
            std::vector<std::string>{outline(R"(
      x: f32[1,2,3,3]
      s = Conv(x, "s/weights": f32[4,2,3,3], "s/bias": f32[4]) dilations=[1,1] kernel_shape=[3,3] pads=[1,1,1,1] strides=[1,1] @s)")});
}

TEST(JoinSumOfSame, TakesEqualGroups) {
  constexpr std::string_view text = R"(
      x: f32[2,4,6,5]
      a = Conv(x, u: f32[8,2,3,1], b: f32[8]) group=2 pads=[1,0,2,0] strides=[2,1]
      c = Conv(x, v: f32[8,2,1,3], d: f32[8]) group=2 pads=[0,1,1,1] strides=[2,1]
      s = Add(a, c)
      z = Relu(s))";
  EXPECT_EQ(count_of("join-sum-of-same", text), 1U);
  EXPECT_EQ(count_of("join-sum", text), 0U);
  EXPECT_EQ(count_of("join-sum-of-same", R"(
      x: f32[2,4,6,5]
      a = Conv(x, u: f32[8,2,1,1]) group=2
      c = Conv(x, v: f32[8,4,1,1])
      s = Add(a, c))"),
            0U);
}

TEST(JoinShortcut, AddsOneToTheTapInPlace) {
  EXPECT_EQ(outlined_by("join-shortcut", R"(
      x: f32[1,2,3,3]
      a = Conv(x, u: f32[2,2,3,3], b: f32[2]) pads=[1,1,1,1]
      s = Add(a, x)
      z = Relu(s))"),
            std::vector<std::string>{outline(R"(
      x: f32[1,2,3,3]
      z = Conv(x, "z/weights": f32[2,2,3,3], b: f32[2]) activation="relu" dilations=[1,1] kernel_shape=[3,3] pads=[1,1,1,1] strides=[1,1] @z)")});
}

TEST(JoinShortcut, TakesGroupsDilationsAndPadsOnOneSide) {
  EXPECT_EQ(count_of("join-shortcut", R"(
      x: f32[2,4,6,5]
      a = Conv(x, u: f32[4,2,2,3]) group=2 pads=[0,4,1,0] dilations=[1,2]
      s = Add(x, a))"),
            1U);
  EXPECT_EQ(count_of("join-shortcut", R"(
      x: f32[2,4,6,5]
      a = Conv(x, u: f32[4,1,1,5]) group=4 pads=[0,2,0,2]
      s = Add(x, a))"),
            1U);
}

TEST(JoinShortcut, LeavesPadsBetweenTapsAlone) {
  EXPECT_EQ(count_of("join-shortcut", R"(
      x: f32[2,4,6,5]
      a = Conv(x, u: f32[4,4,1,2]) pads=[0,1,0,1] dilations=[1,2]
      s = Add(x, a))"),
            0U);
  EXPECT_EQ(count_of("join-shortcut", R"(
      x: f32[2,4,6,5]
      r = Relu(x)
      a = Conv(r, u: f32[4,4,1,1])
      s = Add(x, a))"),
            0U);
}

TEST(ShareWeightsOfSum, AddsInputs) {
  EXPECT_EQ(outlined_by("share-weights-of-sum", R"(
      x: f32[1,2,3,3]
      y: f32[1,2,3,3]
      a = Conv(x, w: f32[4,1,3,3], b: f32[4]) group=2
      c = Conv(y, w, b) group=2
      s = Add(a, c)
      z = Relu(s))"),
            std::vector<std::string>{outline(R"(
      x: f32[1,2,3,3]
      y: f32[1,2,3,3]
      "s/inputs" = Add(x, y) @"s/inputs"
      z = Conv("s/inputs", w: f32[4,1,3,3], "s/bias": f32[4]) activation="relu" dilations=[1,1] group=2 kernel_shape=[3,3] pads=[0,0,0,0] strides=[1,1] @s)")});
}

TEST(ShareWeightsOfSum, LeavesOtherWeightsAndWindowsAlone) {
  EXPECT_EQ(count_of("share-weights-of-sum", R"(
      x: f32[1,2,3,3]
      y: f32[1,2,3,3]
      a = Conv(x, w: f32[4,2,3,3])
      c = Conv(y, v: f32[4,2,3,3])
      s = Add(a, c))"),
            0U);
  EXPECT_EQ(count_of("share-weights-of-sum", R"(
      x: f32[1,2,4,4]
      y: f32[1,2,3,3]
      a = Conv(x, w: f32[4,2,2,2])
      c = Conv(y, w) pads=[1,0,0,1]
      s = Add(a, c))"),
            0U);
}

}  // namespace
}  // namespace braid
