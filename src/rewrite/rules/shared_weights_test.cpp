#include <gtest/gtest.h>

#include "rewrite/testing/outline.h"

namespace braid {
namespace {

TEST(MergeImages, ConvolvesThemAtOnce) {
  EXPECT_EQ(outlines_by("merge-images", R"(
      x: f32[2,4,5,5]
      z: f32[1,4,5,5]
      a = Conv(x, w: f32[6,2,3,3], k: f32[6]) group=2 strides=[2,1] activation="relu"
      b = Conv(z, w, k) group=2 strides=[2,1])"),
            std::vector<std::string>{outline(R"(
      x: f32[2,4,5,5]
      z: f32[1,4,5,5]
      "a/merged/images" = Concat(x, z) axis=0 @"a/merged/images"
      "a/merged" = Conv("a/merged/images", w: f32[6,2,3,3], k: f32[6]) group=2 strides=[2,1] @"a/merged"
      "a/merged/pieces", b = Split("a/merged", "a/merged/pieces/lengths": i64[2] = {2,1}) axis=0 @"a/merged/pieces"
      a = Relu("a/merged/pieces") @"a/activation"
      return a, b)")});
}

TEST(MergeImages, LeavesOtherSizesBiasesStridesAndLevels) {
  EXPECT_EQ(count_of("merge-images", R"(
      x: f32[2,4,5,5]
      z: f32[2,4,6,5]
      a = Conv(x, w: f32[4,4,3,3])
      b = Conv(z, w)
      c = Conv(x, w, k: f32[4])
      d = Conv(x, w) strides=[2,2]
      n = Neg(x)
      e = Conv(n, w))"),
            0);
}

}  // namespace
}  // namespace braid
