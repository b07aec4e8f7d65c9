#include "rewrite/testing/canonicalised.h"

namespace braid {
namespace {

constexpr auto kDropExpands = "drop-expands";

TEST(DropExpands, LetsOperatorsBroadcast) {
  EXPECT_REWRITTEN(kDropExpands, R"(
    x: f32[2,3,4]
    norm = ReduceL2(x, axes: i64[1] = {2})
    all = Expand(norm, dims: i64[3] = {2,3,4})
    y = Div(x, all)
  )",
                   R"(
    x: f32[2,3,4]
    norm = ReduceL2(x, axes: i64[1] = {2})
    y = Div(x, norm)
  )");
}

TEST(DropExpands, OfFewerAxesAndOfEveryOperand) {
  EXPECT_REWRITTEN(kDropExpands, R"(
    x: f32[2,3]
    c: bool[3]
    b: f32[1]
    chosen = Expand(c, dims: i64[2] = {2,3})
    other = Expand(b, dims)
    y = Where(chosen, x, other)
  )",
                   R"(
    x: f32[2,3]
    c: bool[3]
    b: f32[1]
    y = Where(c, x, b)
  )");
}

TEST(DropExpands, KeepsOneOfTwoThatMakeTheShape) {
  EXPECT_REWRITTEN(kDropExpands, R"(
    a: f32[3]
    b: f32[1,3]
    wide = Expand(a, dims: i64[2] = {2,3})
    wide_b = Expand(b, dims)
    y = Add(wide, wide_b)
  )",
                   R"(
    a: f32[3]
    b: f32[1,3]
    wide_b = Expand(b, dims: i64[2] = {2,3})
    y = Add(a, wide_b)
  )");
}

TEST(DropExpands, LeavesAnOutputExpanded) {
  EXPECT_REWRITTEN(kDropExpands, R"(
    x: f32[2,3]
    s: f32[1,3]
    wide = Expand(s, dims: i64[2] = {2,3})
    y = Mul(x, wide)
    return wide, y
  )",
                   R"(
    x: f32[2,3]
    s: f32[1,3]
    wide = Expand(s, dims: i64[2] = {2,3})
    y = Mul(x, s)
    return wide, y
  )");
}

TEST(DropExpands, KeepsWhatDecidesAShape) {
  EXPECT_UNCHANGED(kDropExpands, R"(
    x: f32[1,3]
    s: f32[3]
    wide = Expand(x, dims: i64[2] = {2,3})
    y = Sub(wide, s)
  )");
}

TEST(DropExpands, KeepsWhatOtherOperatorsRead) {
  EXPECT_UNCHANGED(kDropExpands, R"(
    x: f32[1,3]
    slope: f32[2,3]
    wide = Expand(x, dims: i64[2] = {2,3})
    a = PRelu(wide, slope)
    y = Softmax(wide)
    return a, y
  )");
}

}  // namespace
}  // namespace braid
