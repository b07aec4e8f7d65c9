#include "rewrite/testing/canonicalised.h"

namespace braid {
namespace {

TEST(FuseActivation, NormalisesAndRectifiesInOnePass) {
  EXPECT_REWRITTEN("fuse-activation", R"(
    x: f32[2,3,4,4]
    a = BatchNormalization(x, s: f32[3], b: f32[3], m: f32[3], v: f32[3] = {1,2,3}) epsilon=0.5
    y = Relu(a)
  )",
                   R"(
    x: f32[2,3,4,4]
    y = BatchNormalization(x, s: f32[3], b: f32[3], m: f32[3], v: f32[3] = {1,2,3}) activation="relu" epsilon=0.5
  )");
  EXPECT_UNCHANGED("fuse-activation", R"(
    x: f32[2,3,4,4]
    a = BatchNormalization(x, s: f32[3], b: f32[3], m: f32[3], v: f32[3] = {1,2,3})
    y = Tanh(a)
  )");
}

TEST(FuseBias, MakesAnAddedConstantTheBias) {
  EXPECT_REWRITTEN("fuse-bias", R"(
    x: f32[2,3,4,4]
    a = Conv(x, w: f32[2,3,1,1]) @"conv"
    b = Add(a, c: f32[2,1,1] = {1,2})
    d = Conv(b, u: f32[1,2,1,1], v: f32[1] = {5})
    y = Add(e: f32[1,1,1,1] = {3}, d)
  )",
                   R"(
    x: f32[2,3,4,4]
    b = Conv(x, w: f32[2,3,1,1], "b/bias": f32[2] = {1,2}) @"conv"
    y = Conv(b, u: f32[1,2,1,1], "y/bias": f32[1] = {8})
  )");
}

TEST(FuseBias, SpreadsAScalarOverTheChannels) {
  EXPECT_REWRITTEN("fuse-bias", R"(
    x: f32[2,3]
    a = Gemm(x, w: f32[3,2])
    y = Add(a, c: f32[] = {3})
  )",
                   R"(
    x: f32[2,3]
    y = Gemm(x, w: f32[3,2], "y/bias": f32[2] = {3,3})
  )");
}

TEST(FuseBias, RunsAlongTheLastAxisOfAProduct) {
  EXPECT_REWRITTEN("fuse-bias", R"(
    x: f32[2,5,3]
    a = MatMul(x, w: f32[3,2])
    y = Add(a, c: f32[2] = {1,2})
  )",
                   R"(
    x: f32[2,5,3]
    y = MatMul(x, w: f32[3,2], "y/bias": f32[2] = {1,2})
  )");
}

TEST(FuseBias, KeepsOtherShapesAndSharedResults) {
  EXPECT_UNCHANGED("fuse-bias", R"(
    x: f32[2,3,2,2]
    a = Conv(x, w: f32[2,3,1,1])
    b = Add(a, columns: f32[2] = {1,2})
    c = Conv(x, w)
    d = Add(c, more: f32[1,2,2,2] = {1,2,3,4,5,6,7,8})
    e = Conv(x, w)
    f = Add(e, channels: f32[2,1,1] = {1,2})
    g = Conv(x, w) activation="relu"
    h = Add(g, channels)
    i = Gemm(z: f32[2,3], w2: f32[3,2], rows: f32[2,1] = {1,2})
    j = Add(i, columns)
    return b, d, f, e, h, j
  )");
}

TEST(FuseResidual, TakesInAValueThatIsThereBefore) {
  EXPECT_REWRITTEN("fuse-residual", R"(
    x: f32[2,3,4,4]
    a = Conv(x, w: f32[3,3,3,3]) pads=[1,1,1,1] @"conv"
    b = Add(x, a)
    y = Relu(b)
  )",
                   R"(
    x: f32[2,3,4,4]
    b = Conv(x, w: f32[3,3,3,3], -, x) pads=[1,1,1,1] @"conv"
    y = Relu(b)
  )");
}

TEST(FuseResidual, ChoosesTheDeeperBranch) {
  EXPECT_REWRITTEN("fuse-residual", R"(
    x: f32[2,3]
    short = MatMul(x, w: f32[3,3])
    r = Relu(x)
    long = MatMul(r, w)
    y = Add(short, long)
  )",
                   R"(
    x: f32[2,3]
    short = MatMul(x, w: f32[3,3])
    r = Relu(x)
    y = MatMul(r, w, -, short)
  )");
}

// One branch would have to wait for the other.
TEST(FuseResidual, KeepsBranchesThatCanRunSideBySide) {
  EXPECT_UNCHANGED("fuse-residual", R"(
    x: f32[2,3]
    a = MatMul(x, w: f32[3,3])
    b = MatMul(x, u: f32[3,3])
    y = Add(a, b)
  )");
}

TEST(FuseResidual, KeepsBroadcastsSharedResultsAndActivations) {
  EXPECT_UNCHANGED("fuse-residual", R"(
    x: f32[2,3]
    row: f32[1,3]
    a = MatMul(x, w: f32[3,3])
    b = Add(a, row)
    c = MatMul(x, w)
    d = Add(c, x)
    e = MatMul(x, w) activation="relu"
    f = Add(e, x)
    g = MatMul(x, w, -, x)
    h = Add(g, x)
    i = MatMul(x, w)
    j = Add(i, i)
    return b, c, d, f, h, j
  )");
}

TEST(FuseActivation, AppliesItInsideTheOperator) {
  EXPECT_REWRITTEN("fuse-activation", R"(
    x: f32[2,3,4,4]
    a = Conv(x, w: f32[3,3,1,1]) @"conv"
    b = Relu(a)
    c = Conv(b, w)
    d = Clip(c, low: f32[] = {0}, high: f32[] = {6})
    e = Conv(d, w)
    f = HardSigmoid(e) alpha=0.25
    g = Conv(f, w)
    h = Gelu(g) approximate="tanh"
    i = Conv(h, w)
    y = LeakyRelu(i)
  )",
                   R"(
    x: f32[2,3,4,4]
    b = Conv(x, w: f32[3,3,1,1]) activation="relu" @"conv"
    d = Conv(b, w) activation="clip" activation_alpha=0.0 activation_beta=6.0
    f = Conv(d, w) activation="hardsigmoid" activation_alpha=0.25 activation_beta=0.5
    h = Conv(f, w) activation="gelutanh"
    y = Conv(h, w) activation="leakyrelu" activation_alpha=0.01
  )");
}

TEST(FuseActivation, FindsSilu) {
  EXPECT_REWRITTEN("fuse-activation", R"(
    x: f32[2,3]
    a = Gemm(x, w: f32[3,3])
    s = Sigmoid(a)
    y = Mul(a, s)
  )",
                   R"(
    x: f32[2,3]
    y = Gemm(x, w: f32[3,3]) activation="silu"
  )");
}

TEST(FuseActivation, FindsHardSwishAndMishAsOlderFilesSpellThem) {
  EXPECT_REWRITTEN("fuse-activation", R"(
    x: f32[2,3]
    a = Gemm(x, w: f32[3,3])
    g = HardSigmoid(a) alpha=0.16666667 beta=0.5
    b = Mul(a, g)
    c = Gemm(b, w)
    p = Softplus(c)
    t = Tanh(p)
    y = Mul(t, c)
  )",
                   R"(
    x: f32[2,3]
    b = Gemm(x, w: f32[3,3]) activation="hardswish"
    y = Gemm(b, w) activation="mish"
  )");
}

TEST(FuseActivation, LeavesOtherProductsWithAGateAlone) {
  EXPECT_UNCHANGED("fuse-activation", R"(
    x: f32[2,3]
    a = Gemm(x, w: f32[3,3])
    g = HardSigmoid(a)
    b = Mul(a, g)
    c = Gemm(b, w)
    t = Tanh(c)
    y = Mul(t, c)
  )");
}

TEST(FuseActivation, MovesIntoEveryPartOfAConcat) {
  EXPECT_REWRITTEN("fuse-activation", R"(
    x: f32[2,3]
    a = MatMul(x, w: f32[3,2])
    b = MatMul(x, u: f32[3,1])
    c = Concat(a, b) axis=1
    y = Relu(c)
  )",
                   R"(
    x: f32[2,3]
    "a/relu" = MatMul(x, w: f32[3,2]) activation="relu" @"a/relu"
    "b/relu" = MatMul(x, u: f32[3,1]) activation="relu" @"b/relu"
    y = Concat("a/relu", "b/relu") axis=1
  )");
}

TEST(FuseActivation, KeepsSharedResultsAndSecondActivations) {
  EXPECT_UNCHANGED("fuse-activation", R"(
    x: f32[2,3]
    a = MatMul(x, w: f32[3,3])
    b = Relu(a)
    c = MatMul(x, w) activation="tanh"
    d = Relu(c)
    e = MatMul(x, w)
    f = Sigmoid(e)
    g = Mul(e, f)
    h = Add(e, f)
    i = MatMul(x, w)
    j = Concat(i, x) axis=1
    k = Relu(j)
    bound: f32[]
    l = MatMul(x, w)
    m = Clip(l, bound)
    return a, b, d, g, h, k, m
  )");
}

TEST(Epilogue, GathersBiasThenResidualThenActivation) {
  EXPECT_EQ(canonical(R"(
    x: f32[1,2,4,4]
    c = Conv(x, w: f32[2,2,3,3]) pads=[1,1,1,1]
    b = Add(c, k: f32[2,1,1] = {1,2})
    r = Add(b, x)
    y = Relu(r)
  )"),
            plain(R"(
    x: f32[1,2,4,4]
    y = Conv(x, w: f32[2,2,3,3], "b/bias": f32[2] = {1,2}, x) activation="relu" pads=[1,1,1,1]
  )"));
}

// The epilogue adds first: activation(result + bias + residual).
TEST(Epilogue, DoesNotAddAfterTheActivation) {
  EXPECT_EQ(canonical(R"(
    x: f32[1,2,4,4]
    c = Conv(x, w: f32[2,2,1,1])
    r = Relu(c)
    y = Add(r, x)
  )"),
            plain(R"(
    x: f32[1,2,4,4]
    r = Conv(x, w: f32[2,2,1,1]) activation="relu"
    y = Add(r, x)
  )"));
}

}  // namespace
}  // namespace braid
