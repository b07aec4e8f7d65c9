#include <gtest/gtest.h>

#include "rewrite/testing/outline.h"

namespace braid {
namespace {

TEST(JoinSumOfProducts, JoinsThemAlongTheirDepth) {
  EXPECT_EQ(outlines_by("join-sum-of-products", R"(
      x: f32[2,3,4]
      z: f32[2,3,5]
      a = MatMul(x, wa: f32[4,6], ba: f32[6])
      b = MatMul(z, wb: f32[5,6], bb: f32[6])
      s = Add(a, b)
      y = Relu(s))"),
            std::vector<std::string>{outline(R"(
      x: f32[2,3,4]
      z: f32[2,3,5]
      "a/depth" = Concat(x, z) axis=2 @"a/depth"
      y = MatMul("a/depth", "a/weights": f32[9,6], "a/bias": f32[6]) activation="relu" @a)")});
}

TEST(JoinSumOfProducts, OpensAResidual) {
  EXPECT_EQ(outlines_by("join-sum-of-products", R"(
      x: f32[2,4]
      z: f32[2,5]
      r: f32[2,6]
      b = Gemm(z, wb: f32[6,5], bb: f32[6], r) transB=1
      h = Relu(x)
      y = MatMul(h, wa: f32[4,6], -, b) activation="tanh")"),
            std::vector<std::string>{outline(R"(
      x: f32[2,4]
      z: f32[2,5]
      r: f32[2,6]
      h = Relu(x)
      "y/depth" = Concat(h, z) axis=1 @"y/depth"
      y = MatMul("y/depth", "y/weights": f32[9,6], "y/bias": f32[6], r) activation="tanh" @y)")});
}

TEST(JoinSumOfProducts, LeavesWhatOthersReadOrActivate) {
  EXPECT_EQ(count_of("join-sum-of-products", R"(
      x: f32[2,4]
      z: f32[2,4]
      a = MatMul(x, wa: f32[4,6])
      b = MatMul(z, wb: f32[4,6])
      y = Add(a, b)
      return y, a)"),
            0);
  EXPECT_EQ(count_of("join-sum-of-products", R"(
      x: f32[2,4]
      z: f32[2,4]
      a = MatMul(x, wa: f32[4,6])
      b = MatMul(z, wb: f32[4,6]) activation="relu"
      y = Add(a, b))"),
            0);
  EXPECT_EQ(count_of("join-sum-of-products", R"(
      x: f32[2,4]
      z: f32[1,4]
      a = MatMul(x, wa: f32[4,6])
      b = MatMul(z, wb: f32[4,6])
      y = Add(a, b))"),
            0);
}

TEST(AddWeightsOfProducts, AddsThemOnce) {
  EXPECT_EQ(outlines_by("add-weights-of-products", R"(
      x: f32[2,4]
      a = Gemm(x, wa: f32[6,4], ba: f32[6]) transB=1
      b = MatMul(x, wb: f32[4,6])
      y = Add(a, b))"),
            std::vector<std::string>{outline(R"(
      x: f32[2,4]
      y = Gemm(x, "a/weights": f32[6,4], "a/bias": f32[6]) transB=1 @a)")});
  EXPECT_EQ(count_of("join-sum-of-products", R"(
      x: f32[2,4]
      a = MatMul(x, wa: f32[4,6])
      b = MatMul(x, wb: f32[4,6])
      y = Add(a, b))"),
            0);
}

TEST(AddBeforeProduct, AddsWhatTheSameWeightsMultiply) {
  EXPECT_EQ(outlines_by("add-before-product", R"(
      x: f32[2,3,4]
      z: f32[2,3,4]
      a = MatMul(x, w: f32[4,6], b: f32[6])
      c = MatMul(z, w, b)
      y = Add(a, c))"),
            std::vector<std::string>{outline(R"(
      x: f32[2,3,4]
      z: f32[2,3,4]
      "a/left" = Add(x, z) @"a/left"
      y = MatMul("a/left", "a/weights": f32[4,6], "a/bias": f32[6]) @a)")});
}

TEST(MultiplyLatePieceAlone, LetsTheOthersRunAhead) {
  EXPECT_EQ(outlines_by("multiply-late-piece-alone", R"(
      x: f32[2,4]
      z: f32[2,5]
      n = Neg(x)
      h = Relu(n)
      c = Concat(z, h, z) axis=-1
      y = MatMul(c, w: f32[14,6], b: f32[6]) activation="relu")"),
            std::vector<std::string>{outline(R"(
      x: f32[2,4]
      z: f32[2,5]
      n = Neg(x)
      h = Relu(n)
      "y/early_pieces" = Concat(z, z) axis=1 @"y/early_pieces"
      "y/early" = MatMul("y/early_pieces", "y/early/weights": f32[10,6], b: f32[6]) @"y/early"
      y = MatMul(h, "y/weights": f32[4,6], -, "y/early") activation="relu" @y)")});
}

TEST(MultiplyLatePieceAlone, KeepsResiduals) {
  EXPECT_EQ(count_of("multiply-late-piece-alone", R"(
      x: f32[2,4]
      z: f32[2,5]
      r: f32[2,6]
      h = Relu(x)
      c = Concat(z, h) axis=1
      y = Gemm(c, w: f32[6,9], -, r) transB=1)"),
            1);
}

TEST(MultiplyLatePieceAlone, LeavesPiecesOfOneLevelAndOtherAxes) {
  EXPECT_EQ(count_of("multiply-late-piece-alone", R"(
      x: f32[2,4]
      z: f32[2,5]
      c = Concat(z, x) axis=1
      y = MatMul(c, w: f32[9,6]))"),
            0);
  EXPECT_EQ(count_of("multiply-late-piece-alone", R"(
      x: f32[2,4]
      z: f32[2,4]
      h = Relu(x)
      c = Concat(z, h) axis=0
      y = MatMul(c, w: f32[4,6]))"),
            0);
}

}  // namespace
}  // namespace braid
