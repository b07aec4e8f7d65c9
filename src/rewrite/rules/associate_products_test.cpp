#include <gtest/gtest.h>

#include "rewrite/testing/outline.h"

namespace braid {
namespace {

TEST(AssociateProducts, MultipliesWeightsWhereThatIsLessWork) {
  EXPECT_EQ(outlines_by("associate-products", R"(
      x: f32[2,3,4]
      r: f32[2,3,2]
      h = MatMul(x, w1: f32[4,9], b1: f32[9])
      y = MatMul(h, w2: f32[9,2], b2: f32[2], r) activation="relu")"),
            std::vector<std::string>{outline(R"(
      x: f32[2,3,4]
      r: f32[2,3,2]
      y = MatMul(x, "y/weights": f32[4,2], "y/bias": f32[2], r) activation="relu" @y)")});
  EXPECT_EQ(count_of("associate-products", R"(
      x: f32[3,4]
      h = Gemm(x, w1: f32[9,4]) transB=1
      y = Gemm(h, w2: f32[5,9]) transB=1)"),
            1);
}

TEST(AssociateProducts, LeavesNarrowMiddlesAndActivations) {
  EXPECT_EQ(count_of("associate-products", R"(
      x: f32[2,8]
      h = MatMul(x, w1: f32[8,2])
      y = MatMul(h, w2: f32[2,8]))"),
            0);
  EXPECT_EQ(count_of("associate-products", R"(
      x: f32[2,4]
      h = MatMul(x, w1: f32[4,9]) activation="relu"
      y = MatMul(h, w2: f32[9,2]))"),
            0);
  EXPECT_EQ(count_of("associate-products", R"(
      x: f32[2,4]
      h = MatMul(x, w1: f32[4,9])
      y = MatMul(h, w2: f32[9,2])
      return h, y)"),
            0);
}

}  // namespace
}  // namespace braid
