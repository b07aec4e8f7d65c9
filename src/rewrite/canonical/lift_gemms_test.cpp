#include "rewrite/testing/canonicalised.h"

namespace braid {
namespace {

TEST(LiftGemms, AGemmBetweenReshapesIsAProductOfItsInput) {
  EXPECT_REWRITTEN("lift-gemms", R"(
    x: f32[2,3,4]
    a = Reshape(x, flat: i64[2] = {6,4})
    g = Gemm(a, w: f32[4,5], b: f32[5])
    y = Reshape(g, shape: i64[3] = {2,3,5})
  )",
                   R"(
    x: f32[2,3,4]
    a = Reshape(x, flat: i64[2] = {6,4})
    Reshape = Reshape(a, "a/shape": i64[3] = {2,3,4})
    y = MatMul(Reshape, w: f32[4,5], b: f32[5])
  )");
}

TEST(LiftGemms, WhatFollowsJoinsTheProduct) {
  EXPECT_EQ(canonical(R"(
    x: f32[2,3,4]
    r: f32[2,3,5]
    a = Reshape(x, flat: i64[2] = {6,4})
    g = Gemm(a, w: f32[5,4], b: f32[5]) transB=1 alpha=1.0
    c = Reshape(g, shape: i64[3] = {2,3,5})
    d = Add(c, r)
    y = Relu(d))")
                .find("Relu("),
            std::string::npos);
}

TEST(LiftGemms, LeavesAloneWhatAMatMulCannotSay) {
  for (const char* gemm : {"Gemm(a, w: f32[4,5], b: f32[5]) alpha=2.0",
                           "Gemm(a, w: f32[4,5], b: f32[6,5])", "Gemm(a, w: f32[4,5], b: f32[])"})
    EXPECT_UNCHANGED("lift-gemms", std::string(R"(
    x: f32[2,3,4]
    a = Reshape(x, flat: i64[2] = {6,4})
    g = )") + gemm + R"(
    y = Reshape(g, shape: i64[3] = {2,3,5})
  )");
  EXPECT_UNCHANGED("lift-gemms", R"(
    a: f32[6,4]
    g = Gemm(a, w: f32[4,5])
    y = Reshape(g, shape: i64[3] = {2,5,3})
  )");
  EXPECT_UNCHANGED("lift-gemms", R"(
    a: f32[6,4]
    g = Gemm(a, w: f32[4,5])
    y = Reshape(g, shape: i64[3] = {2,3,5})
    return g
    return y
  )");
}

}  // namespace
}  // namespace braid
