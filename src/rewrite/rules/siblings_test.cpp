#include <gtest/gtest.h>

#include "rewrite/enlarge.h"
#include "rewrite/testing/searched.h"

namespace braid {
namespace {

using Sets = std::vector<std::string>;

TEST(MergeSiblings, SplitsWhatOneConvolutionMakes) {
  EXPECT_EQ(outlined_by("merge-siblings", R"(
      x: f32[1,2,3,3]
      y = Conv(x, u: f32[2,2,1,1], b: f32[2]) activation="relu"
      z = Conv(x, v: f32[3,2,1,1]) activation="relu")"),
            std::vector<std::string>{outline(R"(
      x: f32[1,2,3,3]
      "y/merged" = Conv(x, "y/merged/weights": f32[5,2,1,1], "y/merged/bias": f32[5]) activation="relu" dilations=[1,1] kernel_shape=[1,1] pads=[0,0,0,0] strides=[1,1] @"y/merged"
      y, z = Split("y/merged", "y/merged/split/lengths": i64[2] = {2,3}) axis=1 @"y/merged/split")")});
}

TEST(MergeSiblings, ActivatesBehindTheSplitWhatIsNotActivatedAlike) {
  const auto graphs = outlined_by("merge-siblings", R"(
      x: f32[2,2,4,5]
      y = Conv(x, u: f32[2,2,3,1], b: f32[2]) activation="relu" pads=[1,0,2,1] strides=[2,1]
      z = Conv(x, v: f32[3,2,3,1]) pads=[1,0,2,1] strides=[2,1])");
  ASSERT_EQ(graphs.size(), 1U);
  EXPECT_NE(graphs[0].find("y = Relu("), std::string::npos) << graphs[0];
}

TEST(MergeSiblings, TakesTheWholeClassPairsAndTriples) {
  EXPECT_EQ(members_by("merge-siblings", R"(
      x: f32[1,2,3,3]
      a = Conv(x, t: f32[1,2,1,1])
      b = Conv(x, u: f32[2,2,1,1])
      c = Conv(x, v: f32[3,2,1,1])
      d = Conv(x, w: f32[3,2,3,3]))"),
            (Sets{"a b c", "a b", "a c", "b c"}));
  EXPECT_EQ(members_by("merge-siblings", R"(
      x: f32[1,2,3,3]
      a = Conv(x, t: f32[1,2,1,1])
      b = Conv(x, u: f32[2,2,1,1])
      c = Conv(x, v: f32[3,2,1,1])
      d = Conv(x, w: f32[4,2,1,1]))"),
            (Sets{"a b c d", "a b", "a c", "a d", "a b c", "a b d", "a c d", "b c", "b d", "b c d",
                  "c d"}));
}

/// Two depthwise convolutions of one value: the weights one behind the other would belong to groups
/// that make two channels each, and the split would give channels of both.
TEST(MergeSiblings, LeavesGroupedOnesAlone) {
  EXPECT_TRUE(members_by("merge-siblings", R"(
      x: f32[1,4,3,3]
      y = Conv(x, u: f32[4,1,3,3]) group=4
      z = Conv(x, v: f32[4,1,3,3]) group=4)")
                  .empty());
  EXPECT_TRUE(members_by("enlarge-siblings", R"(
      x: f32[1,4,3,3]
      y = Conv(x, u: f32[4,1,3,3]) group=4 pads=[1,1,1,1]
      z = Conv(x, v: f32[4,1,1,1]) group=4)")
                  .empty());
}

TEST(MergeSiblings, LeavesOtherWindowsInputsAndSumsAlone) {
  EXPECT_TRUE(members_by("merge-siblings", R"(
      x: f32[1,2,5,5]
      r = Relu(x)
      a = Conv(x, s: f32[2,2,3,3]) pads=[1,1,1,1]
      b = Conv(x, t: f32[2,2,3,3]) pads=[2,1,0,1]
      c = Conv(x, u: f32[2,2,3,3]) pads=[2,2,2,2] dilations=[2,2]
      d = Conv(x, v: f32[2,2,3,3]) pads=[3,3,3,3] strides=[2,2]
      e = Conv(r, q: f32[2,2,3,3]) pads=[1,1,1,1]
      f = Conv(x, w: f32[2,2,3,3]) pads=[1,1,1,1]
      y = Add(f, x))")
                  .empty());
}

TEST(CommonWindow, GrowsKernelsAndPadsAlike) {
  const auto window = [](Dims kernel, Dims pads, Dims dilations = {1, 1}) {
    Window made;
    made.kernel = std::move(kernel);
    made.strides = {2, 1};
    made.dilations = std::move(dilations);
    made.pads_begin = {pads[0], pads[1]};
    made.pads_end = {pads[2], pads[3]};
    made.input = {9, 9};
    return made;
  };
  const auto common = common_window(window({1, 3}, {0, 1, 1, 1}), window({3, 1}, {1, 0, 2, 0}));
  ASSERT_TRUE(common);
  EXPECT_EQ(common->kernel, (Dims{3, 3}));
  EXPECT_EQ(common->pads_begin, (Dims{1, 1}));
  EXPECT_EQ(common->pads_end, (Dims{2, 1}));
  EXPECT_FALSE(common_window(window({3, 3}, {1, 1, 1, 1}), window({2, 3}, {1, 1, 0, 1})));
  EXPECT_FALSE(common_window(window({3, 3}, {1, 1, 1, 1}), window({1, 1}, {0, 0, 1, 0})));
  EXPECT_FALSE(
      common_window(window({3, 3}, {1, 1, 1, 1}, {2, 1}), window({1, 3}, {0, 1, 0, 1}, {2, 1})));
  EXPECT_TRUE(
      common_window(window({3, 3}, {2, 1, 2, 1}, {2, 1}), window({3, 1}, {2, 0, 2, 0}, {2, 1})));
}

TEST(EnlargeSiblings, HoldsEveryKernel) {
  EXPECT_EQ(members_by("enlarge-siblings", R"(
      x: f32[2,2,6,5]
      a = Conv(x, t: f32[1,2,1,3], m: f32[1]) pads=[1,1,2,1] strides=[2,1] activation="relu"
      b = Conv(x, u: f32[2,2,3,1]) pads=[2,0,3,0] strides=[2,1] activation="relu"
      c = Conv(x, v: f32[3,2,3,1]) pads=[2,0,3,0] strides=[2,1]
      d = Conv(x, w: f32[3,2,5,5]) pads=[3,2,4,2] strides=[2,1])"),
            (Sets{"a b c d", "a b", "a c", "a d", "b d", "c d"}));
}

TEST(EnlargeSiblings, LeavesOtherWindowsAlone) {
  EXPECT_TRUE(members_by("enlarge-siblings", R"(
      x: f32[1,2,5,5]
      a = Conv(x, t: f32[2,2,3,3]) pads=[1,1,1,1]
      b = Conv(x, u: f32[2,2,1,1]) pads=[1,0,0,0]
      c = Conv(x, v: f32[2,2,2,3]) pads=[0,1,0,1]
      d = Conv(x, w: f32[2,2,1,1]) strides=[2,2]
      e = Conv(x, s: f32[2,2,3,3]) pads=[1,1,1,1])")
                  .empty());
}

TEST(MergeGroupedSiblings, InterleavesGroups) {
  EXPECT_EQ(outlined_by("merge-grouped-siblings", R"(
      x: f32[2,4,3,3]
      y = Conv(x, u: f32[4,1,3,3]) group=4
      z = Conv(x, v: f32[8,1,3,3]) group=4)"),
            std::vector<std::string>{outline(R"(
      x: f32[2,4,3,3]
      "y/merged" = Conv(x, "y/merged/weights": f32[12,1,3,3]) dilations=[1,1] group=4 kernel_shape=[3,3] pads=[0,0,0,0] strides=[1,1] @"y/merged"
      "y/merged/groups" = Reshape("y/merged", "y/merged/groups/shape": i64[5] = {2,4,3,1,1}) @"y/merged/groups"
      "y/merged/split", "y/merged/split_1" = Split("y/merged/groups", "y/merged/split/lengths": i64[2] = {1,2}) axis=2 @"y/merged/split"
      y = Reshape("y/merged/split", "y/merged/0/shape": i64[4] = {2,4,1,1}) @"y/merged/0"
      z = Reshape("y/merged/split_1", "y/merged/1/shape": i64[4] = {2,8,1,1}) @"y/merged/1")")});
}

TEST(MergeGroupedSiblings, EnlargesKernelsAndActivatesApart) {
  EXPECT_EQ(members_by("merge-grouped-siblings", R"(
      x: f32[2,6,6,5]
      a = Conv(x, t: f32[6,2,3,3], m: f32[6]) group=3 pads=[1,1,1,1] strides=[2,2] activation="relu"
      b = Conv(x, u: f32[9,2,5,1]) group=3 pads=[2,0,2,0] strides=[2,2]
      c = Conv(x, v: f32[3,2,3,3]) group=3 pads=[1,1,1,1] strides=[2,2]
      d = Conv(x, w: f32[6,1,3,3]) group=6 pads=[1,1,1,1] strides=[2,2])"),
            (Sets{"a b c", "a b", "a c", "b c"}));
}

}  // namespace
}  // namespace braid
