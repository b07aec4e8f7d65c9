#include "rewrite/testing/canonicalised.h"

namespace braid {
namespace {

constexpr auto kMergeCommon = "merge-common-subexpressions";

TEST(MergeCommonSubexpressions, ComputesEqualThingsOnce) {
  EXPECT_REWRITTEN(kMergeCommon, R"(
    x: f32[2,3]
    a = Relu(x)
    b = Relu(x)
    c = LeakyRelu(a) alpha=0.5
    d = LeakyRelu(b) alpha=0.5
    y = Sub(c, d)
  )",
                   R"(
    x: f32[2,3]
    a = Relu(x)
    c = LeakyRelu(a) alpha=0.5
    y = Sub(c, c)
  )");
}

TEST(MergeCommonSubexpressions, LooksAtOperatorAttributesAndInputs) {
  EXPECT_UNCHANGED(kMergeCommon, R"(
    x: f32[4]
    z: f32[4]
    a = Relu(x)
    b = Abs(x)
    c = LeakyRelu(x) alpha=0.5
    d = LeakyRelu(x) alpha=0.25
    e = Sub(x, z)
    f = Sub(z, x)
    y = Sum(a, b, c, d, e, f)
  )");
}

TEST(MergeCommonSubexpressions, KnowsThatSumAndProductCommute) {
  EXPECT_REWRITTEN(kMergeCommon, R"(
    x: f32[4]
    z: f32[4]
    a = Add(x, z)
    b = Add(z, x)
    y = Mul(a, b)
  )",
                   R"(
    x: f32[4]
    z: f32[4]
    a = Add(x, z)
    y = Mul(a, a)
  )");
}

TEST(MergeCommonSubexpressions, MergesEqualConstants) {
  EXPECT_REWRITTEN(kMergeCommon, R"(
    x: f32[2]
    a = Add(x, one: f32[2] = {1,2})
    b = Add(x, two: f32[2] = {1,2})
    c = Add(x, three: f32[1,2] = {1,2})
    y = Sub(a, b)
  )",
                   R"(
    x: f32[2]
    a = Add(x, one: f32[2] = {1,2})
    c = Add(x, three: f32[1,2] = {1,2})
    y = Sub(a, a)
    return c, y
  )");
}

TEST(MergeCommonSubexpressions, KeepsTheNamesOfOutputs) {
  EXPECT_REWRITTEN(kMergeCommon, R"(
    x: f32[2]
    a = Relu(x)
    b = Relu(x)
    return a, b
  )",
                   R"(
    x: f32[2]
    a = Relu(x)
    return a, a as "b"
  )");
}

}  // namespace
}  // namespace braid
