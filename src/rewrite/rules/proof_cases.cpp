#include "rewrite/rules/proofs.h"

namespace braid {
namespace {

constexpr ProofCase kProofCases[] = {
    {"merge-groups", R"(
        x: f32[2,16,6,5]
        y = Conv(x, w: f32[24,2,3,3], b: f32[24]) group=8 pads=[1,0,2,1] strides=[2,1])"},
    {"merge-groups", R"(
        x: f32[2,4,7,7]
        y = Conv(x, w: f32[4,1,1,3]) group=4 dilations=[1,2] activation="relu")"},
    {"cut-depth", R"(
        x: f32[2,48,5,6]
        r: f32[2,5,3,6]
        y = Conv(x, w: f32[5,48,3,1], b: f32[5], r) pads=[1,0,1,0] strides=[2,1] activation="relu")"},
    {"late-pieces", R"(
        x: f32[2,2,6,5]
        a = MaxPool(x) kernel_shape=[3,3] pads=[1,1,1,1]
        b = MaxPool(a) kernel_shape=[3,3] pads=[1,1,1,1]
        d = MaxPool(a) kernel_shape=[1,3] pads=[0,1,0,1]
        c = Concat(b, x, a, d) axis=-3
        y = Conv(c, w: f32[3,8,3,1], v: f32[3]) pads=[1,0,2,1] strides=[2,1] dilations=[2,1])"},
    {"cut-convolution", R"(
        x: f32[2,12,5,4]
        y = Conv(x, w: f32[132,2,3,3], b: f32[132]) group=6 pads=[1,0,2,1] strides=[2,1])"},
    {"cut-convolution", R"(
        x: f32[1,2,3,3]
        c = Conv(x, w: f32[64,2,1,1]) activation="relu"
        y = Concat(x, c) axis=1)"},
    {"cut-product", R"(
        x: f32[4,3]
        y = Gemm(x, w: f32[260,4], b: f32[3,260]) transA=1 transB=1 alpha=2.0 beta=3.0)"},
    {"cut-product", R"(
        x: f32[2,3,4]
        y = MatMul(x, w: f32[4,128], b: f32[128]) activation="relu")"},
    {"part-siblings", R"(
        x: f32[2,6,5,4]
        c = Conv(x, w: f32[6,2,3,3], b: f32[6]) group=3 pads=[1,0,2,1] strides=[2,1]
        y, z = Split(c, l: i64[2] = {2,4}) axis=1)"},
    {"scale-into-weights", R"(
        x: f32[2,4,5,5]
        c = Conv(x, w: f32[6,2,3,3], b: f32[6]) group=2 pads=[1,1,0,1]
        y = Mul(half: f32[1,1] = {0.5}, c))"},
    {"scale-into-weights", R"(
        x: f32[2,4]
        c = Gemm(x, w: f32[6,4], b: f32[6]) transB=1 alpha=2.0 beta=3.0
        y = Div(c, s: f32[1] = {-4.0}))"},
    {"scale-into-next-weights", R"(
        x: f32[2,4,5,5]
        n = Mul(x, s: f32[1,4,1,1])
        y = Conv(n, w: f32[3,4,3,3], b: f32[3]) pads=[1,1,1,1] strides=[2,2])"},
    {"merge-siblings", R"(
        x: f32[2,2,4,5]
        y = Conv(x, u: f32[2,2,3,1], b: f32[2]) activation="relu" pads=[1,0,2,1] strides=[2,1]
        z = Conv(x, v: f32[3,2,3,1]) pads=[1,0,2,1] strides=[2,1])"},
    {"enlarge-siblings", R"(
        x: f32[2,2,6,5]
        a = Conv(x, t: f32[1,2,1,3], m: f32[1]) pads=[1,1,2,1] strides=[2,1] activation="relu"
        b = Conv(x, u: f32[2,2,3,1]) pads=[2,0,3,0] strides=[2,1] activation="relu"
        d = Conv(x, w: f32[3,2,5,5]) pads=[3,2,4,2] strides=[2,1])"},
    {"merge-grouped-siblings", R"(
        x: f32[2,6,6,5]
        a = Conv(x, t: f32[6,2,3,3], m: f32[6]) group=3 pads=[1,1,1,1] strides=[2,2] activation="relu"
        b = Conv(x, u: f32[9,2,5,1]) group=3 pads=[2,0,2,0] strides=[2,2])"},
    {"join-parallel", R"(
        x: f32[2,4,6,5]
        y: f32[2,6,6,5]
        a = Conv(x, t: f32[6,2,3,1]) group=2 pads=[1,0,2,1] strides=[2,1] dilations=[2,1] activation="relu"
        b = Conv(y, u: f32[9,2,3,1], m: f32[9]) group=3 pads=[1,0,2,1] strides=[2,1] dilations=[2,1] activation="relu")"},
    {"batch-shared-weights", R"(
        x: f32[1,2,3,3]
        y: f32[2,2,3,3]
        a = Conv(x, w: f32[4,1,3,3], m: f32[4]) group=2 activation="relu"
        b = Conv(y, w, m) group=2 activation="relu")"},
    {"join-sum", R"(
        x: f32[2,2,6,5]
        y: f32[2,2,3,5]
        p = Relu(x)
        a = Conv(p, u: f32[2,2,3,1], b: f32[2]) pads=[1,0,1,0] strides=[2,1]
        c = Conv(x, v: f32[2,2,1,3]) pads=[0,1,0,1] strides=[2,1]
        s = Add(c, y)
        t = Add(a, s)
        z = Relu(t))"},
    {"join-sum-of-same", R"(
        x: f32[2,4,6,5]
        a = Conv(x, u: f32[8,2,3,1], b: f32[8]) group=2 pads=[1,0,2,0] strides=[2,1]
        c = Conv(x, v: f32[8,2,1,3], d: f32[8]) group=2 pads=[0,1,1,1] strides=[2,1]
        s = Add(a, c)
        z = Relu(s))"},
    {"join-shortcut", R"(
        x: f32[2,4,6,5]
        a = Conv(x, u: f32[4,2,2,3]) group=2 pads=[0,4,1,0] dilations=[1,2]
        s = Add(x, a))"},
    {"share-weights-of-sum", R"(
        x: f32[1,2,3,3]
        y: f32[1,2,3,3]
        a = Conv(x, w: f32[4,1,3,3], b: f32[4]) group=2
        c = Conv(y, w, b) group=2
        s = Add(a, c)
        z = Relu(s))"},
    {"merge-products", R"(
        x: f32[2,3,4]
        q = MatMul(x, wq: f32[4,6], bq: f32[6])
        k = MatMul(x, wk: f32[4,5]) activation="relu"
        v = MatMul(x, wv: f32[4,2], bv: f32[2]))"},
    {"merge-products", R"(
        x: f32[2,4]
        a = Gemm(x, wa: f32[3,4], ba: f32[3]) transB=1
        b = MatMul(x, wb: f32[4,5]))"},
    {"merge-rows", R"(
        x: f32[2,4]
        z: f32[3,4]
        a = MatMul(x, w: f32[4,3], b: f32[3]) activation="relu"
        c = MatMul(z, w, b) activation="relu")"},
    {"batch-products", R"(
        x: f32[2,5,4]
        z: f32[2,5,4]
        a = MatMul(x, wa: f32[4,3], ba: f32[3])
        b = MatMul(z, wb: f32[4,3], bb: f32[3]))"},
    {"heads-as-batch", R"(
        x: f32[2,3,4]
        q = MatMul(x, w: f32[4,10], b: f32[10])
        q4 = Reshape(q, shape: i64[4] = {2,3,2,5})
        y = Transpose(q4) perm=[0,2,1,3])"},
    {"join-sum-of-products", R"(
        x: f32[2,3,4]
        z: f32[2,3,5]
        a = MatMul(x, wa: f32[4,6], ba: f32[6])
        b = MatMul(z, wb: f32[5,6], bb: f32[6])
        s = Add(a, b)
        y = Relu(s))"},
    {"add-weights-of-products", R"(
        x: f32[2,4]
        a = Gemm(x, wa: f32[6,4], ba: f32[6]) transB=1
        b = MatMul(x, wb: f32[4,6])
        y = Add(a, b))"},
    {"add-before-product", R"(
        x: f32[2,3,4]
        z: f32[2,3,4]
        a = MatMul(x, w: f32[4,6], b: f32[6])
        c = MatMul(z, w, b)
        y = Add(a, c))"},
    {"multiply-late-piece-alone", R"(
        x: f32[2,4]
        z: f32[2,5]
        n = Neg(x)
        h = Relu(n)
        c = Concat(z, h, z) axis=-1
        y = MatMul(c, w: f32[14,6], b: f32[6]) activation="relu")"},
    {"associate-products", R"(
        x: f32[2,3,4]
        r: f32[2,3,2]
        h = MatMul(x, w1: f32[4,9], b1: f32[9])
        y = MatMul(h, w2: f32[9,2], b2: f32[2], r) activation="relu")"},
    {"activate-before-concat", R"(
        a: f32[1,2,3,3]
        b: f32[1,3,3,3]
        c = MaxPool(a) kernel_shape=[3,3] pads=[1,1,1,1]
        j = Concat(c, b) axis=1
        y = Relu(j)
        return j, y)"},
    {"activate-after-concat", R"(
        a: f32[2,2]
        b: f32[2,3]
        c = LeakyRelu(a) alpha=0.5
        d = LeakyRelu(b) alpha=0.5
        y = Concat(c, d) axis=1)"},
    {"activate-after-pool", R"(
        x: f32[2,2,5,5]
        r = Relu(x)
        y = MaxPool(r) kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1] ceil_mode=1)"},
    {"activate-after-pool", R"(
        x: f32[2,2,5,5]
        r = Sigmoid(x)
        y = GlobalMaxPool(r))"},
    {"activate-after-resize", R"(
        x: f32[2,2,3,3]
        r = Relu(x)
        y = Resize(r, -, s: f32[4] = {1.0,1.0,2.0,2.0}) mode="nearest")"},
    {"activate-after-split", R"(
        x: f32[2,6]
        r = Relu(x)
        a, b = Split(r, l: i64[2] = {2,4}) axis=1
        y = Neg(a)
        z = Neg(b))"},
    {"activate-before-move", R"(
        x: f32[1,2,3,3]
        r = Resize(x, -, s: f32[4] = {1.0,1.0,2.0,2.0}) mode="nearest"
        y = Relu(r))"},
    {"activate-before-move", R"(
        x: f32[2,4]
        p = MatMul(x, w: f32[4,6])
        r = Transpose(p) perm=[1,0]
        y = Relu(r))"},
    {"activate-before-pool", R"(
        x: f32[2,2,5,5]
        c = Conv(x, w: f32[3,2,3,3])
        p = MaxPool(c) kernel_shape=[2,2] strides=[2,2] pads=[1,0,0,1]
        y = Relu(p))"},
    {"activate-before-split", R"(
        x: f32[2,4]
        p = MatMul(x, w: f32[4,6])
        a, b = Split(p, l: i64[2] = {2,4}) axis=1
        c = Relu(a)
        d = Relu(b))"},
    {"add-after-concat", R"(
        a: f32[2,2]
        b: f32[2,2]
        c: f32[2,3]
        d: f32[2,3]
        s = Mul(a, b)
        t = Mul(c, d)
        y = Concat(s, t) axis=1)"},
    {"add-before-concat", R"(
        a: f32[2,2]
        b: f32[2,2]
        c: f32[2,3]
        d: f32[2,3]
        s = Concat(a, c) axis=-1
        t = Concat(b, d) axis=1
        y = Sub(s, t))"},
    {"associate-matmuls", R"(
        a: f32[2,8,3]
        b: f32[2,3,8]
        c: f32[2,8,2]
        p = MatMul(a, b)
        y = MatMul(p, c, -, -) activation="relu")"},
    {"associate-matmuls", R"(
        a: f32[2,8,3]
        b: f32[2,3,8]
        p = MatMul(a, b)
        y = MatMul(p, w: f32[8,2], k: f32[2]))"},
    {"expand", R"(
        f: f32[2,3]
        b: f32[2,3]
        c: f32[2,3]
        s = Sub(b, c)
        y = Mul(s, f))"},
    {"factor", R"(
        f: f32[2,3]
        c: f32[2,3]
        x: f32[2,3]
        kept = Mul(f, c)
        taken = Mul(x, f)
        state = Add(kept, taken))"},
    {"pool-after-add", R"(
        a: f32[2,2,4,4]
        b: f32[2,2,4,4]
        p = AveragePool(a) kernel_shape=[2,2] pads=[1,1,0,0]
        q = AveragePool(b) kernel_shape=[2,2] pads=[1,1,0,0]
        y = Add(p, q))"},
    {"pool-after-concat", R"(
        a: f32[2,1,4,4]
        b: f32[2,2,4,4]
        p = GlobalAveragePool(a)
        q = GlobalAveragePool(b)
        y = Concat(p, q) axis=1)"},
    {"pool-after-pointwise", R"(
        x: f32[2,4,5,5]
        r: f32[2,3,5,5]
        p = AveragePool(x) kernel_shape=[2,2] pads=[1,1,0,0] count_include_pad=1
        y = Conv(p, w: f32[3,4,1,1], b: f32[3], r))"},
    {"pool-after-pointwise", R"(
        x: f32[2,4,5,5]
        p = AveragePool(x) kernel_shape=[2,2] pads=[1,1,0,0]
        y = Conv(p, w: f32[3,4,1,1], b: f32[3]) activation="relu")"},
    {"pool-as-convolution", R"(
        x: f32[2,4,5,5]
        p = AveragePool(x) kernel_shape=[2,4] strides=[1,2] pads=[1,2,0,1] count_include_pad=1
        y = Conv(p, w: f32[3,4,1,1], b: f32[3]) activation="relu")"},
    {"pool-before-add", R"(
        a: f32[2,2,4,4]
        b: f32[2,2,4,4]
        s = Add(a, b)
        y = AveragePool(s) kernel_shape=[2,2] strides=[2,2])"},
    {"pool-before-concat", R"(
        a: f32[2,1,4,4]
        b: f32[2,2,4,4]
        c = Concat(a, b) axis=1
        y = AveragePool(c) kernel_shape=[2,2] pads=[1,1,0,0])"},
    {"pool-before-pointwise", R"(
        x: f32[2,4,6,6]
        c = Conv(x, w: f32[4,4,1,1])
        y = AveragePool(c) kernel_shape=[2,2] strides=[2,2] pads=[1,1,1,1] count_include_pad=1)"},
    {"pool-before-pointwise", R"(
        x: f32[2,4,6,6]
        c = Conv(x, w: f32[4,2,1,1], b: f32[4]) group=2
        y = AveragePool(c) kernel_shape=[2,2] strides=[2,2])"},
    {"reassociate", R"(
        a: f32[2,3]
        b: f32[2,3]
        c: f32[2,3]
        n = Neg(a)
        late = Abs(n)
        s = Add(late, b)
        t = Add(s, c)
        y = Add(t, b))"},
    {"reassociate", R"(
        a: f32[2,3]
        b: f32[2,3]
        c: f32[2,3]
        d: f32[2,3]
        s = Mul(a, b)
        t = Mul(s, c)
        y = Mul(t, d))"},
    {"scale-rows-after-product", R"(
        x: f32[2,3,4]
        r = ReduceMax(x, axes: i64[1] = {-1}) keepdims=1
        n = Mul(r, x)
        a = MatMul(n, wa: f32[4,5], ba: f32[5]) activation="relu"
        b = MatMul(n, wb: f32[4,5], -, a))"},
    {"split-groups", R"(
        x: f32[2,4,3,3]
        y = Conv(x, w: f32[2,4,1,1] = {1.0,2.0,0.0,0.0,0.0,0.0,3.0,-1.0}, b: f32[2]))"},
    {"compose-depthwise-pointwise", R"(
        x: f32[2,4,6,5]
        d = Conv(x, w: f32[4,1,3,3], b: f32[4]) group=4 pads=[1,1,1,1] strides=[2,1]
        y = Conv(d, v: f32[3,4,1,1], c: f32[3]) activation="relu")"},
    {"double", R"(
        x: f32[2,3,4]
        a = Sigmoid(x)
        y = Add(a, a))"},
};

}  // namespace

std::span<const ProofCase> proof_cases() { return kProofCases; }

}  // namespace braid
