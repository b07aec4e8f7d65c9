#include <gtest/gtest.h>

#include "rewrite/testing/searched.h"

namespace braid {
namespace {

std::vector<std::int64_t> pieces_of(std::string_view text) {
  std::vector<std::int64_t> pieces;
  for (const Rewriting& one : rewritings("cut-depth", canonical_graph(text)))
    pieces.push_back(one.match.parameters[0]);
  return pieces;
}

TEST(CutDepth, SumsPiecesSideBySide) {
  const auto printed = rewritten_by("cut-depth", R"(
      x: f32[1,32,3,3]
      y = Conv(x, w: f32[4,32,1,1], b: f32[4]) activation="relu")");
  ASSERT_EQ(printed.size(), 1);
  EXPECT_NE(printed[0].find("Split"), std::string::npos) << printed[0];
  EXPECT_NE(printed[0].find("Relu"), std::string::npos) << printed[0];
}

TEST(CutDepth, KeepsNumbersWithResidualStridesAndPads) {
  EXPECT_EQ(pieces_of(R"(
      x: f32[2,48,5,6]
      r: f32[2,5,3,6]
      y = Conv(x, w: f32[5,48,3,1], b: f32[5], r) pads=[1,0,1,0] strides=[2,1] activation="relu")"),
            (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(pieces_of("x: f32[2,64,7,7]\ny = Conv(x, w: f32[3,64,1,3]) dilations=[1,2]"),
            (std::vector<std::int64_t>{2, 4}));
}

TEST(CutDepth, LeavesGroupsAndShallowConvolutionsAlone) {
  EXPECT_TRUE(pieces_of("x: f32[1,64,5,5]\ny = Conv(x, w: f32[64,32,3,3]) group=2").empty());
  EXPECT_TRUE(pieces_of("x: f32[1,31,5,5]\ny = Conv(x, w: f32[4,31,3,3])").empty());
}

}  // namespace
}  // namespace braid
