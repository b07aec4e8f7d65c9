#include "rewrite/testing/canonicalised.h"

namespace braid {
namespace {

constexpr auto kRecogniseGelu = "recognise-gelu";
constexpr auto kGelu = R"(
    x: f32[2,8]
    y = Gelu(x)
  )";

TEST(RecogniseGelu, FindsTheFormOfTheTorchScriptExporter) {
  EXPECT_REWRITTEN(kRecogniseGelu, R"(
    x: f32[2,8]
    a = Div(x, root: f32[] = {1.4142135381698608})
    b = Erf(a)
    c = Add(b, one: f32[] = {1})
    d = Mul(x, c)
    y = Mul(d, half: f32[] = {0.5})
  )",
                   kGelu);
}

TEST(RecogniseGelu, FindsOtherOrders) {
  EXPECT_REWRITTEN(kRecogniseGelu, R"(
    x: f32[2,8]
    a = Mul(root: f32[] = {0.7071067690849304}, x)
    b = Erf(a)
    c = Add(one: f32[] = {1}, b)
    d = Mul(x, half: f32[] = {0.5})
    y = Mul(c, d)
  )",
                   kGelu);
  EXPECT_REWRITTEN(kRecogniseGelu, R"(
    x: f32[2,8]
    a = Mul(x, root: f32[] = {0.7071067690849304})
    b = Erf(a)
    c = Add(b, one: f32[] = {1})
    d = Mul(c, half: f32[] = {0.5})
    y = Mul(d, x)
  )",
                   kGelu);
  EXPECT_REWRITTEN(kRecogniseGelu, R"(
    x: f32[2,8]
    a = Mul(x, root: f32[] = {0.7071067690849304})
    b = Erf(a)
    c = Add(b, one: f32[] = {1})
    d = Mul(c, x)
    y = Div(d, two: f32[] = {2})
  )",
                   kGelu);
}

TEST(RecogniseGelu, FindsTheApproximationWithTanh) {
  EXPECT_REWRITTEN(kRecogniseGelu, R"(
    x: f32[2,8]
    h = Mul(half: f32[] = {0.5}, x)
    p = Pow(x, three: f32[] = {3})
    q = Mul(small: f32[] = {0.044714998453855515}, p)
    r = Add(x, q)
    s = Mul(root: f32[] = {0.7978845834732056}, r)
    t = Tanh(s)
    u = Add(one: f32[] = {1}, t)
    y = Mul(h, u)
  )",
                   R"(
    x: f32[2,8]
    y = Gelu(x) approximate="tanh"
  )");
}

TEST(RecogniseGelu, LeavesOtherFormulasAlone) {
  EXPECT_UNCHANGED(kRecogniseGelu, R"(
    x: f32[2,8]
    z: f32[2,8]
    a = Div(x, root: f32[] = {1.5})
    b = Erf(a)
    c = Add(b, one: f32[] = {1})
    d = Mul(x, c)
    y = Mul(d, half: f32[] = {0.5})
  )");
  EXPECT_UNCHANGED(kRecogniseGelu, R"(
    x: f32[2,8]
    z: f32[2,8]
    a = Div(x, root: f32[] = {1.4142135381698608})
    b = Erf(a)
    c = Add(b, one: f32[] = {1})
    d = Mul(z, c)
    y = Mul(d, half: f32[] = {0.5})
  )");
}

TEST(RecogniseGelu, LeavesAPartThatIsReadElsewhere) {
  EXPECT_UNCHANGED(kRecogniseGelu, R"(
    x: f32[2,8]
    a = Div(x, root: f32[] = {1.4142135381698608})
    b = Erf(a)
    c = Add(b, one: f32[] = {1})
    d = Mul(x, c)
    y = Mul(d, half: f32[] = {0.5})
    return y, b
  )");
}

}  // namespace
}  // namespace braid
