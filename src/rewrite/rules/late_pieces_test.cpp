#include <gtest/gtest.h>

#include "rewrite/testing/searched.h"

namespace braid {
namespace {

/// The late pieces of every match, by name.
std::vector<std::string> late_in(std::string_view text) {
  const Graph graph = canonical_graph(text);
  std::vector<std::string> late;
  for (const Rewriting& one : rewritings("late-pieces", graph)) {
    EXPECT_EQ(one.match.parameters[0], std::ssize(one.match.values));
    std::string names;
    for (const ValueId value : one.match.values) names += graph.value(value).name + " ";
    late.push_back(names);
  }
  return late;
}

using Names = std::vector<std::string>;

TEST(LatePieces, GiveTheEarlyOnesAsAResidual) {
  EXPECT_EQ(outlined_by("late-pieces", R"(
      a: f32[1,2,5,5]
      b = Conv(a, u: f32[3,2,3,3]) pads=[1,1,1,1] activation="relu"
      c = Concat(a, b) axis=1
      y = Conv(c, w: f32[4,5,1,1], v: f32[4]) activation="relu")"),
            std::vector<std::string>{outline(R"(
      a: f32[1,2,5,5]
      b = Conv(a, u: f32[3,2,3,3]) activation="relu" pads=[1,1,1,1]
      "y/early" = Conv(a, "y/early/weights": f32[4,2,1,1], v: f32[4]) dilations=[1,1] kernel_shape=[1,1] pads=[0,0,0,0] strides=[1,1] @"y/early"
      y = Conv(b, "y/late/weights": f32[4,3,1,1], -, "y/early") activation="relu" dilations=[1,1] kernel_shape=[1,1] pads=[0,0,0,0] strides=[1,1] @"y/late")")});
}

TEST(LatePieces, AreThoseAboveAnyLevelOrTheDeepestAlone) {
  EXPECT_EQ(late_in(R"(
      x: f32[2,2,6,5]
      a = MaxPool(x) kernel_shape=[3,3] pads=[1,1,1,1]
      b = MaxPool(a) kernel_shape=[3,3] pads=[1,1,1,1]
      d = MaxPool(a) kernel_shape=[1,3] pads=[0,1,0,1]
      c = Concat(b, x, a, d) axis=-3
      y = Conv(c, w: f32[3,8,3,1], v: f32[3]) pads=[1,0,2,1] strides=[2,1] dilations=[2,1])"),
            (Names{"b ", "b d ", "b d a "}));
}

TEST(LatePieces, MayStandInTheConcatMoreThanOnce) {
  EXPECT_EQ(late_in(R"(
      x: f32[2,2,6,5]
      a = MaxPool(x) kernel_shape=[3,3] pads=[1,1,1,1]
      c = Concat(a, x, a) axis=1
      y = Conv(c, w: f32[3,6,1,3])
      return y, c)"),
            Names{"a "});
}

TEST(LatePieces, LeaveAResidualWithTheEarlyOnes) {
  EXPECT_EQ(late_in(R"(
      x: f32[2,4,6,5]
      a = MaxPool(x) kernel_shape=[3,3] pads=[1,1,1,1]
      c = Concat(a, x) axis=1
      d = Conv(c, w: f32[4,8,3,3]) pads=[1,1,1,1]
      e = Add(d, x)
      y = Relu(e))"),
            Names{"a "});
}

TEST(LatePieces, AreAtMostFour) {
  EXPECT_EQ(late_in(R"(
      x: f32[1,1,3,3]
      a = Relu(x)
      b = Neg(x)
      d = Sign(x)
      e = Ceil(x)
      f = Abs(x)
      c = Concat(x, a, b, d, e, f) axis=1
      y = Conv(c, w: f32[1,6,1,1]))")
                .size(),
            1U);
}

TEST(LatePieces, AreNotTakenFromOtherConcatsAndConvolutions) {
  EXPECT_TRUE(late_in(R"(
      x: f32[1,2,4,4]
      a = Relu(x)
      c = Concat(a, x) axis=1
      y = Conv(c, w: f32[4,2,1,1]) group=2)")
                  .empty());
  EXPECT_TRUE(late_in(R"(
      x: f32[1,2,4,4]
      a = Relu(x)
      c = Concat(a, x) axis=2
      y = Conv(c, w: f32[4,2,1,1]))")
                  .empty());
  EXPECT_TRUE(late_in(R"(
      a: f32[1,2,4,4]
      b: f32[1,2,4,4]
      c = Concat(a, b) axis=1
      y = Conv(c, w: f32[4,4,1,1]))")
                  .empty());
  EXPECT_TRUE(late_in(R"(
      a: f32[1,2,4,4]
      w: f32[4,4,1,1]
      b = Relu(a)
      c = Concat(a, b) axis=1
      y = Conv(c, w))")
                  .empty());
}

TEST(LatePieces, LeaveNoConvolutionOfAConstant) {
  EXPECT_TRUE(late_in(R"(
      a: f32[1,2,4,4]
      b = Relu(a)
      c = Concat(b, k: f32[1,2,4,4]) axis=1
      y = Conv(c, w: f32[4,4,1,1]))")
                  .empty());
}

}  // namespace
}  // namespace braid
