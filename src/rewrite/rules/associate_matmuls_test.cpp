#include <gtest/gtest.h>

#include "rewrite/testing/outline.h"

namespace braid {
namespace {

TEST(AssociateMatMuls, TakesTheOrderThatIsLessWork) {
  EXPECT_EQ(outlines_by("associate-matmuls", R"(
      a: f32[2,8,3]
      b: f32[2,3,8]
      c: f32[2,8,2]
      p = MatMul(a, b)
      y = MatMul(p, c, -, -) activation="relu")"),
            std::vector<std::string>{outline(R"(
      a: f32[2,8,3]
      b: f32[2,3,8]
      c: f32[2,8,2]
      p_1 = MatMul(b, c) @p
      y = MatMul(a, p_1, -, -) activation="relu")")});
  EXPECT_EQ(count_of("associate-matmuls", R"(
      a: f32[2,8]
      b: f32[8,3]
      c: f32[3,8]
      p = MatMul(b, c)
      y = MatMul(a, p))"),
            1);
  EXPECT_EQ(count_of("associate-matmuls", R"(
      a: f32[2,8,3]
      b: f32[2,3,8]
      p = MatMul(a, b)
      y = MatMul(p, w: f32[8,2], k: f32[2]))"),
            1);
}

TEST(AssociateMatMuls, LeavesTheBetterOrderOtherReadersAndConstants) {
  EXPECT_EQ(count_of("associate-matmuls", R"(
      a: f32[2,8]
      b: f32[8,3]
      c: f32[3,8]
      p = MatMul(a, b)
      y = MatMul(p, c))"),
            0);
  EXPECT_EQ(count_of("associate-matmuls", R"(
      a: f32[8,3]
      b: f32[3,8]
      c: f32[8,2]
      p = MatMul(a, b)
      y = MatMul(p, c)
      return y, p)"),
            0);
  EXPECT_EQ(count_of("associate-matmuls", R"(
      a: f32[8,3]
      p = MatMul(a, v: f32[3,8])
      y = MatMul(p, w: f32[8,2]))"),
            0);
}

}  // namespace
}  // namespace braid
