#include <gtest/gtest.h>

#include "rewrite/testing/outline.h"

namespace braid {
namespace {

TEST(ScaleRowsAfterProduct, MultipliesWhileTheNumbersAreComputed) {
  EXPECT_EQ(outlines_by("scale-rows-after-product", R"(
      x: f32[2,3,4]
      r = ReduceMax(x, axes: i64[1] = {-1}) keepdims=1
      n = Mul(r, x)
      a = MatMul(n, wa: f32[4,5], ba: f32[5]) activation="relu"
      b = MatMul(n, wb: f32[4,5], -, a))"),
            std::vector<std::string>{outline(R"(
      x: f32[2,3,4]
      r = ReduceMax(x, axes: i64[1] = {-1}) keepdims=1
      a_1 = MatMul(x, wa: f32[4,5]) @a
      "a/scaled" = Mul(a_1, r) @"a/scaled"
      "a/biased" = Add("a/scaled", ba: f32[5]) @"a/biased"
      a = Relu("a/biased") @"a/activation"
      b_1 = MatMul(x, wb: f32[4,5]) @b
      "b/scaled" = Mul(b_1, r) @"b/scaled"
      b = Add("b/scaled", a) @"b/sum")")});
}

TEST(ScaleRowsAfterProduct, LeavesOtherReadersAndOtherAxes) {
  EXPECT_EQ(count_of("scale-rows-after-product", R"(
      x: f32[3,4]
      r: f32[3,1]
      n = Mul(r, x)
      a = MatMul(n, wa: f32[4,5])
      b = Neg(n))"),
            0);
  EXPECT_EQ(count_of("scale-rows-after-product", R"(
      x: f32[3,4]
      r: f32[1,4]
      n = Mul(r, x)
      a = MatMul(n, wa: f32[4,5]))"),
            0);
  EXPECT_EQ(count_of("scale-rows-after-product", R"(
      x: f32[4,4]
      r: f32[4,1]
      n = Mul(r, x)
      a = MatMul(n, wa: f32[4,4], -, n))"),
            0);
  EXPECT_EQ(count_of("scale-rows-after-product", R"(
      x: f32[3,4]
      r: f32[3,1]
      n = Div(r, x)
      a = MatMul(n, wa: f32[4,5]))"),
            0);
}

}  // namespace
}  // namespace braid
