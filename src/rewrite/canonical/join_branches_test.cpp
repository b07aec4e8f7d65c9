#include "rewrite/testing/canonicalised.h"

namespace braid {
namespace {

constexpr auto kJoinBranches = "join-branches";

TEST(JoinBranches, AddsTheWeightsOfConvolutionsOfOneValue) {
  EXPECT_SHAPE_REWRITTEN(kJoinBranches, R"(
    x: f32[2,4,5,6]
    a = Conv(x, u: f32[6,4,3,3], p: f32[6]) pads=[1,1,1,1] strides=[2,2]
    b = Conv(x, v: f32[6,4,1,1]) strides=[2,2]
    y = Add(a, b)
  )",
                         R"(
    x: f32[2,4,5,6]
    y = Conv(x, "y/weights": f32[6,4,3,3], "y/bias": f32[6]) dilations=[1,1] kernel_shape=[3,3] pads=[1,1,1,1] strides=[2,2] @y
  )");
}

TEST(JoinBranches, TakesNormalisationsOfTheValueIntoTheTapThatReadsInPlace) {
  EXPECT_SHAPE_REWRITTEN(kJoinBranches, R"(
    x: f32[2,4,5,6]
    a = BatchNormalization(x, g: f32[4], s: f32[4], m: f32[4], v: f32[4] = {1,2,3,4})
    b = Conv(x, w: f32[4,2,3,5], q: f32[4]) group=2 pads=[1,2,1,2]
    y = Add(a, b)
  )",
                         R"(
    x: f32[2,4,5,6]
    y = Conv(x, "y/weights": f32[4,2,3,5], "y/bias": f32[4]) dilations=[1,1] group=2 kernel_shape=[3,5] pads=[1,2,1,2] strides=[1,1] @y
  )");
}

TEST(JoinBranches, SubtractsInTheOrderOfTheOperands) {
  EXPECT_SHAPE_REWRITTEN(kJoinBranches, R"(
    x: f32[1,3,5,5]
    a = BatchNormalization(x, g: f32[3], s: f32[3], m: f32[3], v: f32[3] = {1,2,3})
    b = Conv(x, w: f32[3,1,3,3], q: f32[3]) group=3 pads=[1,1,1,1]
    y = Sub(a, b)
  )",
                         R"(
    x: f32[1,3,5,5]
    y = Conv(x, "y/weights": f32[3,1,3,3], "y/bias": f32[3]) dilations=[1,1] group=3 kernel_shape=[3,3] pads=[1,1,1,1] strides=[1,1] @y
  )");
}

TEST(JoinBranches, AnExportWithAllBranchesOfItsTrainingIsOneConvolution) {
  EXPECT_EQ(plain_shape(canonicalise(parse(R"(
    x: f32[1,3,5,5]
    a = Conv(x, u: f32[3,3,3,3]) pads=[1,1,1,1]
    b = BatchNormalization(a, g: f32[3], s: f32[3], m: f32[3], v: f32[3] = {1,2,3})
    c = Conv(x, t: f32[3,3,1,1])
    d = BatchNormalization(c, g, s, m, v)
    e = BatchNormalization(x, g, s, m, v)
    f = Add(b, d)
    h = Add(f, e)
    k = Mul(h, scale: f32[3,1,1])
    n = Add(k, x)
    y = Relu(n)
  )"),
                                     {.verify_numbers = true})
                            .graph),
            plain_shape(R"(
    x: f32[1,3,5,5]
    y = Conv(x, "h/weights/folded": f32[3,3,3,3], "h/weights/folded_bias": f32[3], x) activation="relu" dilations=[1,1] kernel_shape=[3,3] pads=[1,1,1,1] strides=[1,1] @h
  )"));
}

TEST(JoinBranches, KeepsWhatWouldNotBecomeLess) {
  EXPECT_UNCHANGED(kJoinBranches, R"(
    x: f32[1,4,6,6]
    z: f32[1,4,6,6]
    a = Conv(x, row: f32[4,4,1,3]) pads=[0,1,0,1]
    b = Conv(x, column: f32[4,4,3,1]) pads=[1,0,1,0]
    larger = Add(a, b)
    c = Conv(x, u: f32[4,4,3,3]) pads=[1,1,1,1]
    d = Conv(z, u) pads=[1,1,1,1]
    other_value = Add(c, d)
    e = Conv(x, u) pads=[1,1,1,1]
    f = Conv(x, grouped: f32[4,2,3,3]) group=2 pads=[1,1,1,1]
    other_groups = Add(e, f)
    h = Conv(x, u) pads=[0,0,2,2]
    i = BatchNormalization(x, g: f32[4], s: f32[4], m: f32[4], v: f32[4] = {1,2,3,4})
    j = Conv(x, u) pads=[1,1,1,1]
    k = Relu(j)
    activated = Add(i, k)
    l = Conv(x, u) pads=[1,1,1,1]
    used_twice = Add(h, l)
    again = Mul(l, l)
  )");
}

TEST(JoinBranches, KeepsANormalisationThatNoTapReadsInPlace) {
  EXPECT_UNCHANGED(kJoinBranches, R"(
    x: f32[1,4,6,6]
    a = BatchNormalization(x, g: f32[4], s: f32[4], m: f32[4], v: f32[4] = {1,2,3,4})
    b = Conv(x, w: f32[4,4,2,2]) dilations=[3,3] pads=[1,1,2,2]
    y = Add(a, b)
  )");
}

}  // namespace
}  // namespace braid
