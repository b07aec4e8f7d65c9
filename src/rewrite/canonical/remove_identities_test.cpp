#include "rewrite/testing/canonicalised.h"

namespace braid {
namespace {

constexpr auto kRemoveIdentities = "remove-identities";

TEST(RemoveIdentities, DropsOperatorsThatChangeNothing) {
  EXPECT_REWRITTEN(kRemoveIdentities, R"(
    x: f32[2,3]
    a = Identity(x)
    b = Cast(a) to=1
    c = Sum(b)
    d = Clip(c)
    y = Relu(d)
  )",
                   R"(
    x: f32[2,3]
    y = Relu(x)
  )");
}

TEST(RemoveIdentities, LetsAnOutputBeAnInput) {
  EXPECT_REWRITTEN(kRemoveIdentities, R"(
    x: f32[2]
    y = Identity(x)
  )",
                   R"(
    x: f32[2]
    return x as "y"
  )");
}

TEST(RemoveIdentities, DropsNeutralNumbers) {
  EXPECT_REWRITTEN(kRemoveIdentities, R"(
    x: f32[2,3]
    a = Mul(x, one: f32[] = {1})
    b = Mul(ones: f32[1,3] = {1,1,1}, a)
    c = Div(b, one)
    d = Pow(c, one)
    e = Add(d, minus_zero: f32[] = {-0.0})
    f = Sub(e, zero: f32[] = {0})
    y = Relu(f)
  )",
                   R"(
    x: f32[2,3]
    y = Relu(x)
  )");
}

// -0 + 0 is +0, and so is -0 - -0.
TEST(RemoveIdentities, KeepsAdditionsThatTurnMinusZeroIntoZero) {
  EXPECT_UNCHANGED(kRemoveIdentities, R"(
    x: f32[2]
    a = Add(x, zero: f32[] = {0})
    y = Sub(a, minus_zero: f32[] = {-0.0})
  )");
}

TEST(RemoveIdentities, AddsZeroToIntegersFreely) {
  EXPECT_REWRITTEN(kRemoveIdentities, R"(
    x: i64[2]
    a = Add(zero: i64[] = {0}, x)
    y = Neg(a)
  )",
                   R"(
    x: i64[2]
    y = Neg(x)
  )");
}

TEST(RemoveIdentities, KeepsWhatBroadcastsOrIsNotNeutral) {
  EXPECT_UNCHANGED(kRemoveIdentities, R"(
    x: f32[3]
    a = Mul(x, ones: f32[2,3] = {1,1,1,1,1,1})
    b = Mul(a, nearly: f32[3] = {1,1,2})
    c = Div(one: f32[] = {1}, b)
    d = Sub(zero: f32[] = {0}, c)
    y = Cast(d) to=7
  )");
}

}  // namespace
}  // namespace braid
