#include <gtest/gtest.h>

#include "rewrite/testing/searched.h"

namespace braid {
namespace {

constexpr std::string_view kCompose = "compose-depthwise-pointwise";

TEST(Compose, MakesADenseConvolution) {
  EXPECT_EQ(outlined_by(kCompose, R"(
      x: f32[1,4,5,5]
      d = Conv(x, u: f32[4,1,3,3], a: f32[4]) group=4 pads=[1,1,1,1]
      y = Conv(d, v: f32[6,4,1,1], b: f32[6]) activation="relu")"),
            std::vector<std::string>{outline(R"(
      x: f32[1,4,5,5]
      y = Conv(x, "y/weights": f32[6,4,3,3], "y/bias": f32[6]) activation="relu" dilations=[1,1] kernel_shape=[3,3] pads=[1,1,1,1] strides=[1,1] @y)")});
}

TEST(Compose, TakesSeveralChannelsOfEachAndAnyWindow) {
  EXPECT_EQ(members_by(kCompose, R"(
      x: f32[2,3,7,6]
      d = Conv(x, u: f32[6,1,3,1], a: f32[6]) group=3 pads=[1,0,2,1] strides=[2,1] dilations=[2,1]
      y = Conv(d, v: f32[4,6,1,1]))"),
            std::vector<std::string>{"y d"});
  EXPECT_EQ(members_by(kCompose, R"(
      x: f32[2,3,7,6]
      d = Conv(x, u: f32[3,1,1,2]) group=3
      y = Conv(d, v: f32[4,3,1,1], b: f32[4]))"),
            std::vector<std::string>{"y d"});
}

/// A value as deep as the new convolution is no longer there before it starts.
TEST(Compose, AddsAResidualAnew) {
  const auto graphs = outlined_by(kCompose, R"(
      x: f32[2,4,5,5]
      d = Conv(x, u: f32[4,1,3,3]) group=4 pads=[1,1,1,1]
      r = MaxPool(x) kernel_shape=[3,3] pads=[1,1,1,1]
      c = Conv(d, v: f32[4,4,1,1])
      s = Add(c, r)
      y = Relu(s))");
  ASSERT_EQ(graphs.size(), 1U);
  EXPECT_NE(graphs[0].find("= Add("), std::string::npos) << graphs[0];
}

TEST(Compose, LeavesWhatLiesBetweenAlone) {
  EXPECT_TRUE(members_by(kCompose, R"(
      x: f32[1,4,5,5]
      d = Conv(x, u: f32[4,1,3,3]) group=4 activation="relu"
      y = Conv(d, v: f32[6,4,1,1]))")
                  .empty());
  EXPECT_TRUE(members_by(kCompose, R"(
      x: f32[1,4,5,5]
      d = Conv(x, u: f32[4,1,3,3]) group=4
      y = Conv(d, v: f32[6,4,1,1])
      return y, d)")
                  .empty());
}

TEST(Compose, LeavesOtherKernelsAndGroupsAlone) {
  EXPECT_TRUE(members_by(kCompose, R"(
      x: f32[1,4,5,5]
      d = Conv(x, u: f32[4,1,3,3], a: f32[4]) group=4
      y = Conv(d, v: f32[6,4,1,1]) pads=[0,1,0,0])")
                  .empty());
  EXPECT_TRUE(members_by(kCompose, R"(
      x: f32[1,4,5,5]
      d = Conv(x, u: f32[4,2,3,3]) group=2
      y = Conv(d, v: f32[6,4,1,1]))")
                  .empty());
  EXPECT_TRUE(members_by(kCompose, R"(
      x: f32[1,4,5,5]
      d = Conv(x, u: f32[4,1,3,3]) group=4
      y = Conv(d, v: f32[6,2,1,1]) group=2)")
                  .empty());
}

}  // namespace
}  // namespace braid
