#include <gtest/gtest.h>

#include "rewrite/testing/searched.h"

namespace braid {
namespace {

std::vector<std::int64_t> factors_in(std::string_view rule, const Graph& graph) {
  std::vector<std::int64_t> factors;
  for (const Rewriting& one : rewritings(rule, graph)) factors.push_back(one.match.parameters[0]);
  return factors;
}

std::vector<std::int64_t> factors_of(std::string_view text) {
  return factors_in("merge-groups", canonical_graph(text));
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

/// What merging by these factors can be split into again. Weights are read to prove the merge, so
/// they are no longer promised.
TEST(SplitGroups, UndoesMerges) {
  const Graph graph = canonical_graph(R"(
      x: f32[2,16,6,5]
      y = Conv(x, w: f32[24,2,3,1], b: f32[24]) group=8 pads=[1,0,2,1] strides=[2,1] activation="relu")");
  const std::vector<Rewriting> merged = rewritings("merge-groups", graph);
  ASSERT_EQ(merged.size(), 3U);
  EXPECT_EQ(factors_in("split-groups", merged[0].graph), (std::vector<std::int64_t>{2}));
  EXPECT_EQ(factors_in("split-groups", merged[2].graph), (std::vector<std::int64_t>{8, 4, 2}));
  const std::vector<Rewriting> split = rewritings("split-groups", merged[2].graph);
  EXPECT_NE(outline(split[0].graph).find("group=8"), std::string::npos);
}

TEST(SplitGroups, FindsZerosInDenseAndDepthwiseOnes) {
  EXPECT_EQ(factors_in("split-groups", canonical_graph(R"(
      x: f32[1,2,3,3]
      y = Conv(x, w: f32[4,2,1,1] = {1,0,2,0,0,3,-0.0,4}))")),
            (std::vector<std::int64_t>{2}));
  EXPECT_TRUE(factors_in("split-groups", canonical_graph(R"(
      x: f32[1,4,3,3]
      y = Conv(x, w: f32[4,1,1,1]) group=4)"))
                  .empty());
}

TEST(SplitGroups, LeavesWeightsThatReadTheirNeighboursAlone) {
  EXPECT_TRUE(factors_in("split-groups", canonical_graph(R"(
      x: f32[1,2,3,3]
      y = Conv(x, w: f32[4,2,1,1] = {1,0,2,0,0,3,1,4}))"))
                  .empty());
  EXPECT_TRUE(factors_in("split-groups", canonical_graph(R"(
      x: f32[1,2,3,3]
      y = Conv(x, w: f32[4,2,1,1] = {0,1,2,0,0,3,0,4}))"))
                  .empty());
  EXPECT_TRUE(factors_in("split-groups", canonical_graph(R"(
      x: f32[1,2,3,3]
      y = Conv(x, w: f32[3,2,1,1] = {1,0,1,0,0,4}))"))
                  .empty());
}

}  // namespace
}  // namespace braid
