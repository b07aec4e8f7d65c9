#include <gtest/gtest.h>

#include "rewrite/testing/outline.h"

namespace braid {
namespace {

TEST(BatchProducts, MakesOneProductOfMany) {
  EXPECT_EQ(outlines_by("batch-products", R"(
      x: f32[2,4]
      z: f32[2,4]
      a = MatMul(x, wa: f32[4,3]) activation="relu"
      b = MatMul(z, wb: f32[4,3]) activation="relu"
      return a, b)"),
            std::vector<std::string>{outline(R"(
      x: f32[2,4]
      z: f32[2,4]
      "a/batch/lefts" = Concat(x, z) axis=0 @"a/batch/lefts"
      "a/batch/matrices" = Reshape("a/batch/lefts", "a/batch/matrices/shape": i64[3] = {2,2,4}) @"a/batch/matrices"
      "a/batch/activation" = MatMul("a/batch/matrices", "a/batch/weights": f32[2,4,3]) activation="relu" @"a/batch"
      "a/batch/rows" = Reshape("a/batch/activation", "a/batch/rows/shape": i64[2] = {4,3}) @"a/batch/rows"
      a, b = Split("a/batch/rows", "a/batch/pieces/lengths": i64[2] = {2,2}) axis=0 @"a/batch/pieces")")});
}

TEST(BatchProducts, TakesBiasesTurnedWeightsAndSeveralMatrices) {
  EXPECT_EQ(count_of("batch-products", R"(
      x: f32[2,4]
      z: f32[2,4]
      a = Gemm(x, wa: f32[3,4], ba: f32[3]) transB=1 activation="tanh"
      b = MatMul(z, wb: f32[4,3]) activation="tanh")"),
            1);
  EXPECT_EQ(count_of("batch-products", R"(
      x: f32[2,5,4]
      z: f32[2,5,4]
      a = MatMul(x, wa: f32[4,3], ba: f32[3])
      b = MatMul(z, wb: f32[4,3], bb: f32[3]))"),
            1);
}

TEST(BatchProducts, TakesAllAndThenFewer) {
  std::string text;
  for (int i = 0; i < 12; ++i) text += "x" + std::to_string(i) + ": f32[1,4]\n";
  for (int i = 0; i < 12; ++i)
    text += "y" + std::to_string(i) + " = MatMul(x" + std::to_string(i) + ", w" +
            std::to_string(i) + ": f32[4,2])\n";
  std::vector<std::size_t> sizes;
  for (const Rewriting& one : rewritings("batch-products", canonical_graph(text)))
    sizes.push_back(one.match.nodes.size() + 1);
  EXPECT_EQ(sizes, (std::vector<std::size_t>{12, 10, 5, 4, 2}));
}

TEST(BatchProducts, LeavesOtherShapesLevelsActivationsAndSimplerCases) {
  EXPECT_EQ(count_of("batch-products", R"(
      x: f32[2,4]
      z: f32[3,4]
      a = MatMul(x, wa: f32[4,3])
      b = MatMul(z, wb: f32[4,3])
      c = MatMul(x, wc: f32[4,3]) activation="relu")"),
            0);
  EXPECT_EQ(count_of("batch-products", R"(
      x: f32[2,4]
      z: f32[2,4]
      h = Relu(z)
      a = MatMul(x, wa: f32[4,3])
      b = MatMul(h, wb: f32[4,3]))"),
            0);
  EXPECT_EQ(count_of("batch-products", R"(
      x: f32[2,4]
      a = MatMul(x, wa: f32[4,3])
      b = MatMul(x, wb: f32[4,3]))"),
            0);
  EXPECT_EQ(count_of("batch-products", R"(
      x: f32[2,4]
      z: f32[2,4]
      a = MatMul(x, w: f32[4,3])
      b = MatMul(z, w))"),
            0);
}

TEST(HeadsAsBatch, MultipliesForEachHead) {
  EXPECT_EQ(outlines_by("heads-as-batch", R"(
      x: f32[2,3,4]
      q = MatMul(x, w: f32[4,10], b: f32[10])
      q4 = Reshape(q, shape: i64[4] = {2,3,2,5})
      y = Transpose(q4) perm=[0,2,1,3])"),
            std::vector<std::string>{outline(R"(
      x: f32[2,3,4]
      "q/left" = Unsqueeze(x, "q/axes": i64[1] = {1}) @"q/left"
      q_1 = MatMul("q/left", "q/weights": f32[1,2,4,5]) @q
      y = Add(q_1, "q/bias": f32[1,2,1,5]) @"q/biased")")});
}

TEST(HeadsAsBatch, LeavesOtherOrdersAndReaders) {
  EXPECT_EQ(count_of("heads-as-batch", R"(
      x: f32[2,3,4]
      q = MatMul(x, w: f32[4,10])
      q4 = Reshape(q, shape: i64[4] = {2,3,2,5})
      y = Transpose(q4) perm=[0,2,3,1])"),
            0);
  EXPECT_EQ(count_of("heads-as-batch", R"(
      x: f32[2,3,4]
      q = MatMul(x, w: f32[4,10])
      q4 = Reshape(q, shape: i64[4] = {2,3,2,5})
      y = Transpose(q4) perm=[0,2,1,3]
      return y, q)"),
            0);
  EXPECT_EQ(count_of("heads-as-batch", R"(
      x: f32[2,6,4]
      q = MatMul(x, w: f32[4,10])
      q4 = Reshape(q, shape: i64[4] = {2,3,2,10})
      y = Transpose(q4) perm=[0,2,1,3])"),
            0);
}

}  // namespace
}  // namespace braid
