#include "rewrite/testing/canonicalised.h"

namespace braid {
namespace {

constexpr auto kRecogniseLayerNorm = "recognise-layer-norm";

TEST(RecogniseLayerNorm, FindsTheFormOfOldExports) {
  EXPECT_REWRITTEN(kRecogniseLayerNorm, R"(
    x: f32[2,3,4]
    m = ReduceMean(x, axes: i64[1] = {-1})
    d = Sub(x, m)
    p = Pow(d, two: f32[] = {2})
    v = ReduceMean(p, axes)
    e = Add(v, epsilon: f32[] = {0.25})
    r = Sqrt(e)
    q = Div(d, r)
    s = Mul(q, scale: f32[4] = {1,2,3,4})
    y = Add(s, shift: f32[4] = {4,3,2,1})
  )",
                   R"(
    x: f32[2,3,4]
    y = LayerNormalization(x, scale: f32[4] = {1,2,3,4}, shift: f32[4] = {4,3,2,1}) axis=-1 epsilon=0.25
  )");
}

TEST(RecogniseLayerNorm, FindsSeveralAxesAndNoShift) {
  EXPECT_REWRITTEN(kRecogniseLayerNorm, R"(
    x: f32[2,2,2]
    m = ReduceMean(x, axes: i64[2] = {2,1})
    d = Sub(x, m)
    p = Mul(d, d)
    v = ReduceMean(p, axes)
    e = Add(epsilon: f32[] = {0.25}, v)
    r = Sqrt(e)
    q = Div(d, r)
    s = Mul(scale: f32[2,2] = {1,2,3,4}, q)
    y = Relu(s)
  )",
                   R"(
    x: f32[2,2,2]
    s = LayerNormalization(x, scale: f32[2,2] = {1,2,3,4}) axis=-2 epsilon=0.25
    y = Relu(s)
  )");
}

TEST(RecogniseLayerNorm, LeavesOtherFormulasAlone) {
  constexpr auto kBatchwise = R"(
    x: f32[2,4]
    m = ReduceMean(x, axes: i64[1] = {0})
    d = Sub(x, m)
    p = Mul(d, d)
    v = ReduceMean(p, axes)
    e = Add(v, epsilon: f32[] = {0.25})
    r = Sqrt(e)
    q = Div(d, r)
    y = Mul(q, scale: f32[4] = {1,2,3,4})
  )";
  EXPECT_UNCHANGED(kRecogniseLayerNorm, kBatchwise);
  constexpr auto kOtherVariance = R"(
    x: f32[2,4]
    m = ReduceMean(x, axes: i64[1] = {-1})
    d = Sub(x, m)
    p = Mul(x, x)
    v = ReduceMean(p, axes)
    e = Add(v, epsilon: f32[] = {0.25})
    r = Sqrt(e)
    q = Div(d, r)
    y = Mul(q, scale: f32[4] = {1,2,3,4})
  )";
  EXPECT_UNCHANGED(kRecogniseLayerNorm, kOtherVariance);
}

}  // namespace
}  // namespace braid
