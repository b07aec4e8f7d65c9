#include <gtest/gtest.h>

#include "rewrite/testing/searched.h"

namespace braid {
namespace {

using Joins = std::vector<std::string>;

TEST(JoinParallel, MakesGroupsOfConvolutions) {
  EXPECT_EQ(outlined_by("join-parallel", R"(
      x: f32[2,2,3,3]
      y: f32[2,4,3,3]
      a = Conv(x, u: f32[2,1,3,3], m: f32[2]) group=2
      b = Conv(y, v: f32[4,1,3,3]) group=4)"),
            std::vector<std::string>{outline(R"(
      x: f32[2,2,3,3]
      y: f32[2,4,3,3]
      "a/joined/inputs" = Concat(x, y) axis=1 @"a/joined/inputs"
      "a/joined" = Conv("a/joined/inputs", "a/joined/weights": f32[6,1,3,3], "a/joined/bias": f32[6]) dilations=[1,1] group=6 kernel_shape=[3,3] pads=[0,0,0,0] strides=[1,1] @"a/joined"
      a, b = Split("a/joined", "a/joined/split/lengths": i64[2] = {2,4}) axis=1 @"a/joined/split")")});
}

TEST(JoinParallel, TakesTheWholeLevelAndPairs) {
  EXPECT_EQ(members_by("join-parallel", R"(
      x: f32[2,4,6,5]
      y: f32[2,6,6,5]
      a = Conv(x, t: f32[6,2,3,1]) group=2 pads=[1,0,2,1] strides=[2,1] dilations=[2,1] activation="relu"
      b = Conv(y, u: f32[9,2,3,1], m: f32[9]) group=3 pads=[1,0,2,1] strides=[2,1] dilations=[2,1] activation="relu"
      c = Conv(x, v: f32[6,2,3,1]) group=2 pads=[1,0,2,1] strides=[2,1] dilations=[2,1] activation="relu"
      d = Conv(x, w: f32[6,2,3,1]) group=2 pads=[1,0,2,1] strides=[2,1] dilations=[2,1])"),
            (Joins{"a b c", "a b", "a c", "b c"}));
}

TEST(JoinParallel, MakesDenseOnesOfDifferentValuesGroups) {
  EXPECT_EQ(members_by("join-parallel", R"(
      x: f32[2,2,3,3]
      y: f32[2,2,3,3]
      a = Conv(x, u: f32[3,2,1,3])
      b = Conv(y, v: f32[3,2,1,3])
      c = Conv(x, w: f32[3,2,1,3]))"),
            Joins{"a b c"});
  EXPECT_TRUE(members_by("join-parallel", R"(
      x: f32[2,2,3,3]
      a = Conv(x, u: f32[3,2,1,3])
      b = Conv(x, v: f32[3,2,1,3]))")
                  .empty());
}

/// Convolutions of another level might wait for the anchor.
TEST(JoinParallel, LeavesOtherLevelsShapesAndWindowsAlone) {
  EXPECT_TRUE(members_by("join-parallel", R"(
      x: f32[2,4,6,6]
      z: f32[2,4,5,6]
      a = Conv(x, p: f32[4,1,3,3]) group=4 pads=[1,1,1,1]
      b = Conv(a, q: f32[4,1,3,3]) group=4 pads=[1,1,1,1]
      c = Conv(x, r: f32[4,1,3,3]) group=4 pads=[2,1,0,1]
      d = Conv(x, s: f32[8,1,3,3]) group=4 pads=[1,1,1,1]
      e = Conv(x, t: f32[4,2,3,3]) group=2 pads=[1,1,1,1]
      f = Conv(z, u: f32[4,1,3,3]) group=4 pads=[1,1,1,1]
      g = Conv(x, v: f32[4,1,3,3]) group=4 pads=[2,2,2,2] dilations=[2,2])")
                  .empty());
}

TEST(BatchSharedWeights, ConvolvesAllInputsAsOneBatch) {
  EXPECT_EQ(outlined_by("batch-shared-weights", R"(
      x: f32[1,2,3,3]
      y: f32[2,2,3,3]
      a = Conv(x, w: f32[4,1,3,3], m: f32[4]) group=2 activation="relu"
      b = Conv(y, w, m) group=2 activation="relu")"),
            std::vector<std::string>{outline(R"(
      x: f32[1,2,3,3]
      y: f32[2,2,3,3]
      "a/batched/inputs" = Concat(x, y) axis=0 @"a/batched/inputs"
      "a/batched" = Conv("a/batched/inputs", w: f32[4,1,3,3], m: f32[4]) activation="relu" dilations=[1,1] group=2 kernel_shape=[3,3] pads=[0,0,0,0] strides=[1,1] @"a/batched"
      a, b = Split("a/batched", "a/batched/split/lengths": i64[2] = {1,2}) axis=0 @"a/batched/split")")});
}

TEST(BatchSharedWeights, TakesTheWholeLevelAndPairs) {
  EXPECT_EQ(members_by("batch-shared-weights", R"(
      x: f32[1,2,6,5]
      y: f32[2,2,6,5]
      z: f32[1,2,6,5]
      a = Conv(x, w: f32[4,2,3,1]) pads=[1,0,2,1] strides=[2,1] dilations=[2,1]
      b = Conv(y, w) pads=[1,0,2,1] strides=[2,1] dilations=[2,1]
      c = Conv(z, w) pads=[1,0,2,1] strides=[2,1] dilations=[2,1])"),
            (Joins{"a b c", "a b", "a c", "b c"}));
}

TEST(BatchSharedWeights, LeavesOtherLevelsBiasesAndWindowsAlone) {
  EXPECT_TRUE(members_by("batch-shared-weights", R"(
      x: f32[1,4,6,6]
      y: f32[1,4,6,5]
      a = Conv(x, w: f32[4,4,1,1])
      b = Conv(a, w)
      c = Conv(x, w, m: f32[4])
      d = Conv(y, w)
      e = Conv(x, w) strides=[2,2])")
                  .empty());
}

}  // namespace
}  // namespace braid
