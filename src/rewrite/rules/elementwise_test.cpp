#include <gtest/gtest.h>

#include "rewrite/testing/outline.h"

namespace braid {
namespace {

TEST(Factor, TakesACommonFactorOut) {
  EXPECT_EQ(outlines_by("factor", R"(
      f: f32[2,3]
      c: f32[2,3]
      x: f32[2,3]
      kept = Mul(f, c)
      taken = Mul(x, f)
      state = Add(kept, taken))"),
            std::vector<std::string>{outline(R"(
      f: f32[2,3]
      c: f32[2,3]
      x: f32[2,3]
      state_1 = Add(c, x) @state
      state = Mul(f, state_1) @kept)")});
}

TEST(Factor, TakesDifferencesSquaresAndBroadcastFactors) {
  EXPECT_EQ(count_of("factor", R"(
      f: f32[3]
      c: f32[2,3]
      x: f32[2,3]
      a = Mul(f, c)
      b = Mul(f, x)
      y = Sub(a, b))"),
            1);
  EXPECT_EQ(count_of("factor", R"(
      f: f32[2,3]
      x: f32[2,3]
      a = Mul(f, f)
      b = Mul(f, x)
      y = Add(a, b))"),
            1);
}

TEST(Factor, LeavesOtherReadersShapesAndConstants) {
  EXPECT_EQ(count_of("factor", R"(
      f: f32[2,3]
      x: f32[2,3]
      c: f32[2,3]
      a = Mul(f, c)
      b = Mul(f, x)
      y = Add(a, b)
      return y, a)"),
            0);
  EXPECT_EQ(count_of("factor", R"(
      f: f32[2,3]
      x: f32[2,1]
      c: f32[1,3]
      a = Mul(f, c)
      b = Mul(f, x)
      y = Add(a, b))"),
            0);
  EXPECT_EQ(count_of("factor", R"(
      f: f32[2,3]
      a = Mul(f, k: f32[2,3])
      b = Mul(f, l: f32[2,3])
      y = Add(a, b))"),
            0);
}

TEST(Expand, MultipliesBothSummands) {
  EXPECT_EQ(outlines_by("expand", R"(
      f: f32[2,3]
      b: f32[2,3]
      c: f32[2,3]
      s = Sub(b, c)
      y = Mul(s, f))"),
            std::vector<std::string>{outline(R"(
      f: f32[2,3]
      b: f32[2,3]
      c: f32[2,3]
      "y/left" = Mul(f, b) @"y/left"
      "y/right" = Mul(f, c) @"y/right"
      y = Sub("y/left", "y/right") @s)")});
  EXPECT_EQ(count_of("expand", R"(
      f: f32[2,3]
      b: f32[2,3]
      s = Add(b, k: f32[2,3])
      y = Mul(s, f))"),
            0);
}

TEST(Reassociate, AddsFirstWhatIsThereFirst) {
  EXPECT_EQ(outlines_by("reassociate", R"(
      a: f32[2,3]
      b: f32[2,3]
      c: f32[2,3]
      n = Neg(a)
      late = Abs(n)
      s = Add(late, b)
      t = Add(s, c)
      y = Add(t, b))"),
            std::vector<std::string>{outline(R"(
      a: f32[2,3]
      b: f32[2,3]
      c: f32[2,3]
      n = Neg(a)
      late = Abs(n)
      "y/part_0" = Add(b, c) @"y/part_0"
      "y/part_1" = Add(b, "y/part_0") @"y/part_1"
      y = Add(late, "y/part_1") @y)")});
}

TEST(Reassociate, BalancesAChain) {
  EXPECT_EQ(outlines_by("reassociate", R"(
      a: f32[2,3]
      b: f32[2,3]
      c: f32[2,3]
      d: f32[2,3]
      s = Mul(a, b)
      t = Mul(s, c)
      y = Mul(t, d))"),
            std::vector<std::string>{outline(R"(
      a: f32[2,3]
      b: f32[2,3]
      c: f32[2,3]
      d: f32[2,3]
      "y/part_0" = Mul(a, b) @"y/part_0"
      "y/part_1" = Mul(c, d) @"y/part_1"
      y = Mul("y/part_0", "y/part_1") @y)")});
}

TEST(Reassociate, LeavesWhatIsNoLaterThanItMustBe) {
  EXPECT_EQ(count_of("reassociate", R"(
      a: f32[2,3]
      b: f32[2,3]
      c: f32[2,3]
      s = Add(a, b)
      y = Add(s, c))"),
            0);
  EXPECT_EQ(count_of("reassociate", R"(
      a: f32[2,3]
      b: f32[2,3]
      n = Neg(a)
      s = Add(n, b)
      y = Add(s, a)
      return y, s)"),
            0);
  EXPECT_EQ(count_of("reassociate", R"(
      a: f32[2,3]
      b: f32[1,3]
      c: f32[1,3]
      n = Neg(a)
      s = Add(n, b)
      y = Add(s, c))"),
            0);
}

TEST(Double, MultipliesByTwo) {
  EXPECT_EQ(
      outlines_by("double", "x: f32[2,3]\ny = Add(x, x)"),
      std::vector<std::string>{outline("x: f32[2,3]\ny = Mul(x, \"y/two\": f32[] = {2.0}) @y")});
  EXPECT_EQ(count_of("double", "x: i32[2,3]\ny = Add(x, x)"), 0);
}

}  // namespace
}  // namespace braid
