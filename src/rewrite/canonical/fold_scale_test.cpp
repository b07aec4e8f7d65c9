#include "rewrite/testing/canonicalised.h"

namespace braid {
namespace {

constexpr auto kFoldScale = "fold-scale";

TEST(FoldScale, MultipliesWeightsAndBiasOfAConvolution) {
  EXPECT_SHAPE_REWRITTEN(kFoldScale, R"(
    x: f32[2,3,4,4]
    a = Conv(x, w: f32[5,3,1,1], b: f32[5])
    y = Mul(a, s: f32[5,1,1])
  )",
                         R"(
    x: f32[2,3,4,4]
    y = Conv(x, "w/folded": f32[5,3,1,1], "w/folded_bias": f32[5])
  )");
}

TEST(FoldScale, MultipliesTheColumnsOfAProduct) {
  EXPECT_SHAPE_REWRITTEN(kFoldScale, R"(
    x: f32[2,4,3]
    a = MatMul(x, w: f32[3,5])
    y = Mul(s: f32[5], a)
  )",
                         R"(
    x: f32[2,4,3]
    y = MatMul(x, "w/folded": f32[3,5], "w/folded_bias": f32[5])
  )");
}

TEST(FoldScale, KeepsOtherFactors) {
  EXPECT_UNCHANGED(kFoldScale, R"(
    x: f32[2,3,4,5]
    z: f32[5,1,1]
    a = Conv(x, w: f32[5,3,1,1])
    computed = Mul(a, z)
    b = Conv(x, w)
    of_rows = Mul(b, rows: f32[4,1])
    c = Conv(x, w)
    of_all = Mul(c, one: f32[] = {0.125})
    d = Conv(x, w)
    of_columns = Mul(d, columns: f32[5])
    e = Conv(x, w)
    larger = Mul(e, more: f32[2,1,5,1,1])
    f = Conv(x, w)
    infinite = Mul(f, great: f32[5,1,1] = {1,2,inf,3,4})
    g = Relu(x)
    not_linear = Mul(g, three: f32[3,1,1])
  )");
}

}  // namespace
}  // namespace braid
