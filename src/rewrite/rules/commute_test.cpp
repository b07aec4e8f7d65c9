#include <gtest/gtest.h>

#include "rewrite/testing/outline.h"

namespace braid {
namespace {

TEST(ActivateBeforeConcat, TakesTheActivationOffTheWhole) {
  EXPECT_EQ(rewritten_by("activate-before-concat", R"(
      a: f32[1,2,3,3]
      b: f32[1,3,3,3]
      c = MaxPool(a) kernel_shape=[3,3] pads=[1,1,1,1]
      j = Concat(c, b) axis=1
      y = Relu(j)
      return j, y)"),
            std::vector<std::string>{print(parse(R"(
      a: f32[1,2,3,3]
      b: f32[1,3,3,3]
      c = MaxPool(a) kernel_shape=[3,3] pads=[1,1,1,1]
      j = Concat(c, b) axis=1
      "c/Relu" = Relu(c) @"c/Relu"
      "b/Relu" = Relu(b) @"b/Relu"
      y = Concat("c/Relu", "b/Relu") axis=1 @j
      return j, y)"))});
}

TEST(ActivateBeforeConcat, TakesBoundsAlongAndUsesWhatIsThere) {
  EXPECT_EQ(rewritten_by("activate-before-concat", R"(
      a: f32[2,2]
      b: f32[2,3]
      c = Clip(a, low: f32[] = {0.0}, high: f32[] = {2.0})
      j = Concat(a, b) axis=1
      y = Clip(j, low, high)
      return y, c)"),
            std::vector<std::string>{print(parse(R"(
      a: f32[2,2]
      b: f32[2,3]
      c = Clip(a, low: f32[] = {0.0}, high: f32[] = {2.0})
      "b/Clip" = Clip(b, low, high) @"b/Clip"
      y = Concat(c, "b/Clip") axis=1 @j
      return y, c)"))});
}

TEST(ActivateBeforeConcat, LeavesConstantPieces) {
  EXPECT_EQ(count_of("activate-before-concat", R"(
      a: f32[2,2]
      j = Concat(a, k: f32[2,2]) axis=1
      y = Relu(j))"),
            0);
}

TEST(ActivateAfterConcat, GathersEqualActivations) {
  EXPECT_EQ(rewritten_by("activate-after-concat", R"(
      a: f32[2,2]
      b: f32[2,3]
      c = LeakyRelu(a) alpha=0.5
      d = LeakyRelu(b) alpha=0.5
      y = Concat(c, d) axis=1)"),
            std::vector<std::string>{print(parse(R"(
      a: f32[2,2]
      b: f32[2,3]
      Concat = Concat(a, b) axis=1
      y = LeakyRelu(Concat) alpha=0.5)"))});
}

TEST(ActivateAfterConcat, LeavesDifferentActivationsAndOtherReaders) {
  EXPECT_EQ(count_of("activate-after-concat", R"(
      a: f32[2,2]
      c = LeakyRelu(a) alpha=0.5
      d = LeakyRelu(a) alpha=0.25
      y = Concat(c, d) axis=1)"),
            0);
  EXPECT_EQ(count_of("activate-after-concat", R"(
      a: f32[2,2]
      b: f32[2,2]
      c = Relu(a)
      d = Relu(b)
      y = Concat(c, d) axis=1
      return y, c)"),
            0);
}

TEST(ActivateBeforeSplit, ActivatesOnceAndInsideTheHost) {
  EXPECT_EQ(outlines_by("activate-before-split", R"(
      x: f32[2,4]
      p = MatMul(x, w: f32[4,6])
      a, b = Split(p, l: i64[2] = {2,4}) axis=1
      c = Relu(a)
      d = Relu(b))"),
            std::vector<std::string>{outline(R"(
      x: f32[2,4]
      "p/Relu" = MatMul(x, w: f32[4,6]) activation="relu"
      c, d = Split("p/Relu", l: i64[2] = {2,4}) axis=1)")});
}

TEST(ActivateBeforeSplit, LeavesPiecesThatAreReadPlain) {
  EXPECT_EQ(count_of("activate-before-split", R"(
      x: f32[2,6]
      a, b = Split(x, l: i64[2] = {2,4}) axis=1
      c = Relu(a)
      d = Relu(b)
      return c, d, b)"),
            0);
  EXPECT_EQ(count_of("activate-before-split", R"(
      x: f32[2,6]
      a, b = Split(x, l: i64[2] = {2,4}) axis=1
      c = Relu(a)
      d = Abs(b))"),
            0);
}

TEST(ActivateAfterSplit, ActivatesThePieces) {
  EXPECT_EQ(outlines_by("activate-after-split", R"(
      x: f32[2,6]
      r = Relu(x)
      a, b = Split(r, l: i64[2] = {2,4}) axis=1
      y = Neg(a)
      z = Neg(b))"),
            std::vector<std::string>{outline(R"(
      x: f32[2,6]
      Split, Split_1 = Split(x, l: i64[2] = {2,4}) axis=1
      a = Relu(Split)
      y = Neg(a)
      b = Relu(Split_1)
      z = Neg(b))")});
  EXPECT_EQ(count_of("activate-after-split", R"(
      x: f32[2,6]
      r = Relu(x)
      a, b = Split(r, l: i64[2] = {2,4}) axis=1
      return a, b, r)"),
            0);
}

TEST(ActivateBeforeMove, ReachesTheHostOrActivatesFewer) {
  EXPECT_EQ(outlines_by("activate-before-move", R"(
      x: f32[2,4]
      p = MatMul(x, w: f32[4,6])
      r = Transpose(p) perm=[1,0]
      y = Relu(r))"),
            std::vector<std::string>{outline(R"(
      x: f32[2,4]
      "p/Relu" = MatMul(x, w: f32[4,6]) activation="relu"
      y = Transpose("p/Relu") perm=[1,0])")});
  EXPECT_EQ(outlines_by("activate-before-move", R"(
      x: f32[1,2,3,3]
      r = Resize(x, -, s: f32[4] = {1.0,1.0,2.0,2.0}) mode="nearest"
      y = Relu(r))"),
            std::vector<std::string>{outline(R"(
      x: f32[1,2,3,3]
      "x/Relu" = Relu(x) @"x/Relu"
      y = Resize("x/Relu", -, s: f32[4] = {1.0,1.0,2.0,2.0}) mode="nearest")")});
}

TEST(ActivateBeforeMove, LeavesOtherResizesAndReaders) {
  EXPECT_EQ(count_of("activate-before-move", R"(
      x: f32[1,2,3,3]
      r = Resize(x, -, s: f32[4] = {1.0,1.0,2.0,2.0}) mode="linear"
      y = Relu(r))"),
            0);
  EXPECT_EQ(count_of("activate-before-move", R"(
      x: f32[2,4]
      r = Transpose(x) perm=[1,0]
      y = Relu(r))"),
            0);
}

TEST(ActivateAfterResize, PutsItBack) {
  EXPECT_EQ(count_of("activate-after-resize", R"(
      x: f32[2,2,3,3]
      r = Relu(x)
      y = Resize(r, -, s: f32[4] = {1.0,1.0,2.0,2.0}) mode="nearest")"),
            1);
  EXPECT_EQ(count_of("activate-after-resize", R"(
      x: f32[2,2,3,3]
      r = Relu(x)
      y = Resize(r, roi: f32[8] = {0.0,0.0,0.0,0.0,1.0,1.0,2.0,2.0}, s: f32[4] = {1.0,1.0,2.0,2.0}) mode="nearest" coordinate_transformation_mode="tf_crop_and_resize")"),
            0);
}

TEST(AddAfterConcat, AddsOnce) {
  EXPECT_EQ(outlines_by("add-after-concat", R"(
      a: f32[2,2]
      b: f32[2,2]
      c: f32[2,3]
      d: f32[2,3]
      s = Mul(a, b)
      t = Mul(c, d)
      y = Concat(s, t) axis=1)"),
            std::vector<std::string>{outline(R"(
      a: f32[2,2]
      b: f32[2,2]
      c: f32[2,3]
      d: f32[2,3]
      "y/left" = Concat(a, c) axis=1 @"y/left"
      "y/right" = Concat(b, d) axis=1 @"y/right"
      y = Mul("y/left", "y/right") @y)")});
}

TEST(AddAfterConcat, LeavesBroadcastsConstantsAndMixtures) {
  EXPECT_EQ(count_of("add-after-concat", R"(
      a: f32[2,2]
      b: f32[1,2]
      s = Add(a, b)
      t = Add(a, a)
      y = Concat(s, t) axis=1)"),
            0);
  EXPECT_EQ(count_of("add-after-concat", R"(
      a: f32[2,2]
      b: f32[2,2]
      s = Add(a, b)
      t = Mul(a, b)
      y = Concat(s, t) axis=1)"),
            0);
  EXPECT_EQ(count_of("add-after-concat", R"(
      a: f32[2,2]
      b: f32[2,2]
      s = Add(a, k: f32[2,2])
      t = Add(b, l: f32[2,2])
      y = Concat(s, t) axis=1)"),
            0);
}

TEST(AddBeforeConcat, AddsPieceByPiece) {
  EXPECT_EQ(outlines_by("add-before-concat", R"(
      a: f32[2,2]
      b: f32[2,2]
      c: f32[2,3]
      d: f32[2,3]
      s = Concat(a, c) axis=-1
      t = Concat(b, d) axis=1
      y = Sub(s, t))"),
            std::vector<std::string>{outline(R"(
      a: f32[2,2]
      b: f32[2,2]
      c: f32[2,3]
      d: f32[2,3]
      "y/piece_0" = Sub(a, b) @"y/piece_0"
      "y/piece_1" = Sub(c, d) @"y/piece_1"
      y = Concat("y/piece_0", "y/piece_1") axis=-1 @s)")});
  EXPECT_EQ(count_of("add-before-concat", R"(
      a: f32[2,2]
      c: f32[2,3]
      s = Concat(a, c) axis=1
      t = Concat(c, a) axis=1
      y = Add(s, t))"),
            0);
}

}  // namespace
}  // namespace braid
