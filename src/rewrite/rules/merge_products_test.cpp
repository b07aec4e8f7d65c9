#include <gtest/gtest.h>

#include "rewrite/testing/outline.h"

namespace braid {
namespace {

TEST(MergeProducts, MultipliesByQueryKeyAndValueWeightsAtOnce) {
  const std::vector<std::string> found = outlines_by("merge-products", R"(
      x: f32[2,3,4]
      q = MatMul(x, wq: f32[4,6], bq: f32[6])
      k = MatMul(x, wk: f32[4,5])
      v = MatMul(x, wv: f32[4,2], bv: f32[2]))");
  ASSERT_EQ(found.size(), 4);  // all three, and three pairs
  EXPECT_EQ(found[0], outline(R"(
      x: f32[2,3,4]
      "q/merged" = MatMul(x, "q/merged/weights": f32[4,13], "q/merged/bias": f32[13]) @"q/merged"
      q, k, v = Split("q/merged", "q/merged/pieces/lengths": i64[3] = {6,5,2}) axis=2 @"q/merged/pieces")"));
}

TEST(MergeProducts, KeepsACommonActivationAndDoesOthersAfterwards) {
  const std::vector<std::string> found = outlines_by("merge-products", R"(
      x: f32[2,4]
      a = MatMul(x, wa: f32[4,3])
      b = MatMul(x, wb: f32[4,3]) activation="relu"
      c = MatMul(x, wc: f32[4,3]) activation="relu")");
  ASSERT_EQ(found.size(), 4);
  EXPECT_EQ(found[0], outline(R"(
      x: f32[2,4]
      "a/merged" = MatMul(x, "a/merged/weights": f32[4,9]) @"a/merged"
      a, "a/merged/pieces_1", "a/merged/pieces_2" = Split("a/merged", "a/merged/pieces/lengths": i64[3] = {3,3,3}) axis=1 @"a/merged/pieces"
      b = Relu("a/merged/pieces_1") @"b/activation"
      c = Relu("a/merged/pieces_2") @"c/activation")"));
  EXPECT_EQ(found[3], outline(R"(
      x: f32[2,4]
      a = MatMul(x, wa: f32[4,3])
      "b/merged/activation" = MatMul(x, "b/merged/weights": f32[4,6]) activation="relu" @"b/merged"
      b, c = Split("b/merged/activation", "b/merged/pieces/lengths": i64[2] = {3,3}) axis=1 @"b/merged/pieces")"));
}

TEST(MergeProducts, FindsTheLargestClassFirst) {
  std::string text = "x: f32[2,4]\n";
  for (int i = 0; i < 6; ++i)
    text += "y" + std::to_string(i) + " = MatMul(x, w" + std::to_string(i) + ": f32[4,2])" +
            (i % 2 == 0 ? " activation=\"tanh\"\n" : "\n");
  std::vector<std::size_t> sizes;
  for (const Rewriting& one : rewritings("merge-products", canonical_graph(text)))
    sizes.push_back(one.match.nodes.size() + 1);
  EXPECT_EQ(sizes, (std::vector<std::size_t>{6, 5, 4, 2, 3, 3}));
}

TEST(MergeProducts, TurnsWeightsWhereOperatorsDiffer) {
  EXPECT_EQ(count_of("merge-products", R"(
      x: f32[2,4]
      a = Gemm(x, wa: f32[3,4], ba: f32[3]) transB=1
      b = MatMul(x, wb: f32[4,5]))"),
            1);
}

TEST(MergeProducts, AddsResidualsAfterwards) {
  EXPECT_EQ(outlines_by("merge-products", R"(
      x: f32[2,4]
      a = MatMul(x, wa: f32[4,3])
      b = MatMul(x, wb: f32[4,3], -, a) activation="relu"
      return b)"),
            std::vector<std::string>{outline(R"(
      x: f32[2,4]
      "a/merged" = MatMul(x, "a/merged/weights": f32[4,6]) @"a/merged"
      a, "a/merged/pieces_1" = Split("a/merged", "a/merged/pieces/lengths": i64[2] = {3,3}) axis=1 @"a/merged/pieces"
      "b/sum" = Add("a/merged/pieces_1", a) @"b/sum"
      b = Relu("b/sum") @"b/activation")")});
}

TEST(MergeProducts, MakesAConcatUnnecessary) {
  EXPECT_EQ(outlines_by("merge-products", R"(
      x: f32[2,4]
      a = MatMul(x, wa: f32[4,3])
      b = MatMul(x, wb: f32[4,2])
      y = Concat(a, b) axis=1)"),
            std::vector<std::string>{outline(R"(
      x: f32[2,4]
      "a/merged" = MatMul(x, "a/merged/weights": f32[4,5]) @"a/merged"
      return "a/merged" as y)")});
}

TEST(MergeProducts, LeavesScaledAndComputedProducts) {
  EXPECT_EQ(count_of("merge-products", R"(
      x: f32[4,4]
      a = Gemm(x, wa: f32[4,3]) transA=1
      b = Gemm(x, wb: f32[4,3]) alpha=2.0
      c = Gemm(x, wc: f32[4,3], bc: f32[4,3])
      d = MatMul(x, x)
      e = MatMul(x, we: f32[4,3]))"),
            0);
  EXPECT_EQ(count_of("merge-products", R"(
      x: f32[4,4]
      y: f32[4,4]
      a = MatMul(x, wa: f32[4,3])
      b = MatMul(y, wb: f32[4,3]))"),
            0);
}

TEST(MergeRows, PutsRowsBehindOneAnother) {
  EXPECT_EQ(outlines_by("merge-rows", R"(
      x: f32[2,4]
      z: f32[3,4]
      a = MatMul(x, w: f32[4,3], b: f32[3]) activation="relu"
      c = MatMul(z, w, b) activation="relu")"),
            std::vector<std::string>{outline(R"(
      x: f32[2,4]
      z: f32[3,4]
      "a/merged/rows" = Concat(x, z) axis=0 @"a/merged/rows"
      "a/merged/activation" = MatMul("a/merged/rows", w: f32[4,3], b: f32[3]) activation="relu" @"a/merged"
      a, c = Split("a/merged/activation", "a/merged/pieces/lengths": i64[2] = {2,3}) axis=0 @"a/merged/pieces")")});
}

TEST(MergeRows, TakesWhicheverAxisFits) {
  EXPECT_EQ(count_of("merge-rows", R"(
      x: f32[2,3,4]
      z: f32[2,5,4]
      a = MatMul(x, w: f32[4,3]) activation="relu"
      c = MatMul(z, w))"),
            1);
  EXPECT_EQ(count_of("merge-rows", R"(
      x: f32[2,3,4]
      z: f32[1,5,4]
      a = MatMul(x, w: f32[4,3])
      c = MatMul(z, w))"),
            0);
}

TEST(MergeRows, LeavesProductsThatWaitForOneAnother) {
  EXPECT_EQ(count_of("merge-rows", R"(
      x: f32[2,4]
      a = MatMul(x, w: f32[4,4])
      b = MatMul(a, w))"),
            0);
}

TEST(MergeRows, LeavesOtherBiases) {
  EXPECT_EQ(count_of("merge-rows", R"(
      x: f32[2,4]
      z: f32[2,4]
      a = MatMul(x, w: f32[4,4], ba: f32[4])
      b = MatMul(z, w, bb: f32[4]))"),
            0);
}

}  // namespace
}  // namespace braid
