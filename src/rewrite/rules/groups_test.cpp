#include <gtest/gtest.h>

#include "rewrite/testing/searched.h"

namespace braid {
namespace {

std::vector<std::int64_t> factors_of(std::string_view text) {
  std::vector<std::int64_t> factors;
  for (const Rewriting& one : rewritings("merge-groups", canonical_graph(text)))
    factors.push_back(one.match.parameters[0]);
  return factors;
}

TEST(MergeGroups, JoinsTwoOrMoreGroupsIntoOne) {
  EXPECT_EQ(rewritten_by("merge-groups", R"(
      x: f32[1,4,5,5]
      y = Conv(x, w: f32[6,2,3,3]) group=2)"),
            std::vector<std::string>{print(parse(R"(
      x: f32[1,4,5,5]
      y = Conv(x, "y/weights": f32[6,4,3,3]) dilations=[1,1] group=1 kernel_shape=[3,3] pads=[0,0,0,0] strides=[1,1] @y)"))});
}

/// TASO's own kernel put output channel o into slot floor(o / (Co / c)), which holds only if all
/// groups become one.
TEST(MergeGroups, KeepsNumbersWhenSomeGroupsAreLeft) {
  EXPECT_EQ(factors_of(R"(
      x: f32[2,16,6,5]
      y = Conv(x, w: f32[24,2,3,3], b: f32[24]) group=8 pads=[1,0,2,1] strides=[2,1])"),
            (std::vector<std::int64_t>{2, 4, 8}));
}

TEST(MergeGroups, TakesDepthwiseAndDilatedConvolutions) {
  EXPECT_EQ(factors_of(R"(
      x: f32[2,4,7,7]
      y = Conv(x, w: f32[4,1,1,3]) group=4 dilations=[1,2] activation="relu")"),
            (std::vector<std::int64_t>{2, 4}));
}

TEST(MergeGroups, LeavesDenseConvolutionsAlone) {
  EXPECT_TRUE(factors_of("x: f32[1,4,5,5]\ny = Conv(x, w: f32[6,4,3,3])").empty());
}

}  // namespace
}  // namespace braid
