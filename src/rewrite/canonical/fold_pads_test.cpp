#include "rewrite/testing/canonicalised.h"

namespace braid {
namespace {

constexpr auto kFoldPads = "fold-pads";

TEST(FoldPads, AddsZerosToTheRimOfAConvolution) {
  EXPECT_REWRITTEN(kFoldPads, R"(
    x: f32[2,3,5,6]
    p = Pad(x, pads: i64[8] = {0,0,1,2,0,0,3,0})
    y = Conv(p, w: f32[2,3,3,3]) pads=[1,0,0,1] strides=[2,1]
  )",
                   R"(
    x: f32[2,3,5,6]
    y = Conv(x, w: f32[2,3,3,3]) pads=[2,2,3,1] strides=[2,1]
  )");
}

TEST(FoldPads, ResolvesAutomaticPads) {
  EXPECT_REWRITTEN(kFoldPads, R"(
    x: f32[1,1,5,5]
    p = Pad(x, pads: i64[4] = {1,0,0,2}, -, axes: i64[2] = {-1,2})
    y = Conv(p, w: f32[1,1,3,3]) auto_pad="SAME_UPPER" strides=[2,2]
  )",
                   R"(
    x: f32[1,1,5,5]
    y = Conv(x, w: f32[1,1,3,3]) pads=[1,1,3,1] strides=[2,2]
  )");
}

TEST(FoldPads, CountsExplicitZerosInAverages) {
  EXPECT_REWRITTEN(kFoldPads, R"(
    x: f32[1,2,5,5]
    p = Pad(x, pads: i64[8] = {0,0,1,1,0,0,1,0})
    y = AveragePool(p) kernel_shape=[3,3]
  )",
                   R"(
    x: f32[1,2,5,5]
    y = AveragePool(x) count_include_pad=1 kernel_shape=[3,3] pads=[1,1,1,0]
  )");
}

TEST(FoldPads, MaximumIgnoresMinusInfinity) {
  EXPECT_REWRITTEN(kFoldPads, R"(
    x: f32[1,2,5,5]
    p = Pad(x, pads: i64[8] = {0,0,1,1,0,0,1,1}, low: f32[] = {-inf})
    y = MaxPool(p) kernel_shape=[3,3] strides=[2,2]
  )",
                   R"(
    x: f32[1,2,5,5]
    y = MaxPool(x) kernel_shape=[3,3] pads=[1,1,1,1] strides=[2,2]
  )");
}

TEST(FoldPads, KeepsPadsThatTheOperatorWouldFillOtherwise) {
  EXPECT_UNCHANGED(kFoldPads, R"(
    x: f32[1,2,5,5]
    zeros = Pad(x, pads: i64[8] = {0,0,1,1,0,0,1,1})
    ones = Pad(x, pads, one: f32[] = {1})
    rim = Pad(x, pads) mode="reflect"
    channels = Pad(x, deep: i64[8] = {0,1,1,1,0,0,1,1})
    cropped = Pad(x, crop: i64[8] = {0,0,-1,1,0,0,1,1})
    a = Conv(ones, w: f32[2,2,3,3])
    b = Conv(rim, w)
    c = Conv(channels, u: f32[2,3,3,3])
    d = Conv(cropped, w)
    e = MaxPool(zeros) kernel_shape=[3,3]
    f = AveragePool(zeros) kernel_shape=[3,3] pads=[1,1,1,1]
    g = AveragePool(zeros) ceil_mode=1 kernel_shape=[3,3] strides=[2,2]
    return a, b, c, d, e, f, g
  )");
}

TEST(FoldPads, LeavesThePadToItsOtherUsers) {
  EXPECT_REWRITTEN(kFoldPads, R"(
    x: f32[1,2,5,5]
    p = Pad(x, pads: i64[8] = {0,0,1,1,0,0,1,1})
    a = Conv(p, w: f32[2,2,3,3])
    b = MaxPool(p) kernel_shape=[3,3]
  )",
                   R"(
    x: f32[1,2,5,5]
    p = Pad(x, pads: i64[8] = {0,0,1,1,0,0,1,1})
    b = MaxPool(p) kernel_shape=[3,3]
    a = Conv(x, w: f32[2,2,3,3]) pads=[1,1,1,1]
    return a, b
  )");
}

TEST(FoldPads, ShrinksThePadsOfWhatASliceDrops) {
  EXPECT_REWRITTEN(kFoldPads, R"(
    x: f32[2,3,9,9]
    c = Conv(x, w: f32[2,3,5,5]) pads=[2,3,2,3] strides=[2,1]
    y = Slice(c, starts: i64[2] = {1,2}, ends: i64[2] = {100,-1}, axes: i64[2] = {2,3})
  )",
                   R"(
    x: f32[2,3,9,9]
    y = Conv(x, w: f32[2,3,5,5]) pads=[0,1,2,2] strides=[2,1]
  )");
}

// NASNet pads at the top left and drops the first row and column again. What is kept does not see
// the zeros, so even a maximum, and an average that does not count padding, may forget them.
TEST(FoldPads, CancelsAPadWhoseRowsASliceDrops) {
  EXPECT_REWRITTEN(kFoldPads, R"(
    x: f32[2,3,6,6]
    p = Pad(x, pads: i64[8] = {0,0,1,1,0,0,0,0})
    c = Conv(p, w: f32[3,1,5,5]) group=3 pads=[2,2,2,2] strides=[2,2]
    d = Slice(c, one: i64[2] = {1,1}, end: i64[2] = {9,9}, axes: i64[2] = {2,3})
    m = MaxPool(p) kernel_shape=[3,3] pads=[1,1,1,1] strides=[2,2]
    n = Slice(m, one, end, axes)
    a = AveragePool(p) kernel_shape=[3,3] pads=[1,1,1,1] strides=[2,2]
    b = Slice(a, one, end, axes)
    y = Concat(d, n, b) axis=1
  )",
                   R"(
    x: f32[2,3,6,6]
    d = Conv(x, w: f32[3,1,5,5]) group=3 pads=[1,1,2,2] strides=[2,2]
    n = MaxPool(x) kernel_shape=[3,3] pads=[0,0,1,1] strides=[2,2]
    b = AveragePool(x) kernel_shape=[3,3] pads=[0,0,1,1] strides=[2,2]
    y = Concat(d, n, b) axis=1
  )");
}

TEST(FoldPads, LooksThroughOneSlicePerAxis) {
  EXPECT_REWRITTEN(kFoldPads, R"(
    x: f32[2,3,6,6]
    p = Pad(x, pads: i64[8] = {0,0,1,1,0,0,0,0})
    m = MaxPool(p) kernel_shape=[3,3] pads=[1,1,1,1] strides=[2,2]
    r = Slice(m, one: i64[1] = {1}, end: i64[1] = {9}, two: i64[1] = {2})
    y = Slice(r, one, end, three: i64[1] = {3})
  )",
                   R"(
    x: f32[2,3,6,6]
    y = MaxPool(x) kernel_shape=[3,3] pads=[0,0,1,1] strides=[2,2]
  )");
}

TEST(FoldPads, KeepsSlicesThatLeaveOutElementsOrDoMore) {
  EXPECT_UNCHANGED(kFoldPads, R"(
    x: f32[2,2,9,9]
    c = Conv(x, w: f32[2,2,3,3]) strides=[2,2]
    a = Slice(c, one: i64[2] = {1,1}, end: i64[2] = {9,9}, axes: i64[2] = {2,3})
    d = Conv(x, w) pads=[2,2,2,2]
    b = Slice(d, zero: i64[2] = {0,0}, end, axes, steps: i64[2] = {2,2})
    e = Conv(x, w) pads=[2,2,2,2]
    f = Slice(e, one, end, first: i64[2] = {1,2})
    g = Conv(x, w) pads=[2,2,2,2]
    h = Slice(g, one, end, axes)
    return a, b, f, g, h
  )");
}

}  // namespace
}  // namespace braid
