#include <random>

#include <gtest/gtest.h>

#include "graph/text.h"
#include "graph/verify.h"
#include "ops/builder.h"
#include "ops/testing/case.h"
#include "optimise/sites.h"
#include "rewrite/canonical/number_check.h"
#include "rewrite/canonicalise.h"
#include "rewrite/rules/whole_numbers.h"

/// Sequences of random moves over blocks of the kind that the zoo's networks are made of. In double
/// precision sums in another order differ by next to nothing, however many there are.

namespace braid {
namespace {

const int kSequences = is_full() ? 10'000 : 500;
constexpr int kMostRounds = 5;
constexpr double kRounding = 1e-9;

constexpr std::string_view kBlocks[] = {
    // Inception: branches of several kernels behind one value, and a pool.
    R"(
    x: f64[2,32,6,5]
    a = Conv(x, wa: f64[8,32,1,1], ba: f64[8]) activation="relu"
    b = Conv(x, wb: f64[6,32,1,1], bb: f64[6]) activation="relu"
    c = Conv(b, wc: f64[8,6,3,3], bc: f64[8]) pads=[1,1,1,1] activation="relu"
    d = Conv(x, wd: f64[8,32,3,3]) pads=[1,1,1,1]
    e = Conv(b, we: f64[4,6,1,3]) pads=[0,1,0,1]
    f = Conv(b, wf: f64[4,6,3,1]) pads=[1,0,1,0]
    p = AveragePool(x) kernel_shape=[3,3] pads=[1,1,1,1] count_include_pad=1
    q = Conv(p, wq: f64[4,32,1,1], bq: f64[4])
    j = Concat(a, c, d, e, f, q) axis=1
    r = Relu(j)
    y = Conv(r, wy: f64[5,36,1,1], by: f64[5]))",
    // ResNeXt: groups, a shortcut, a stride.
    R"(
    x: f64[1,16,7,7]
    a = Conv(x, wa: f64[16,16,1,1], ba: f64[16]) activation="relu"
    b = Conv(a, wb: f64[16,2,3,3], bb: f64[16]) group=8 pads=[1,1,1,1] strides=[2,2] activation="relu"
    c = Conv(b, wc: f64[24,16,1,1], bc: f64[24])
    s = Conv(x, ws: f64[24,16,1,1]) strides=[2,2]
    t = Add(c, s)
    y = Relu(t)
    z = MaxPool(y) kernel_shape=[3,3] pads=[1,1,1,1])",
    // NASNet: separable convolutions, their sums, pools, and a Concat that the next cell activates.
    R"(
    l: f64[1,8,6,6]
    r: f64[1,8,6,6]
    rl = Relu(l)
    rr = Relu(r)
    d1 = Conv(rl, v1: f64[8,1,3,3]) group=8 pads=[1,1,1,1]
    p1 = Conv(d1, w1: f64[8,8,1,1], b1: f64[8])
    d2 = Conv(rr, v2: f64[8,1,5,5]) group=8 pads=[2,2,2,2]
    p2 = Conv(d2, w2: f64[8,8,1,1], b2: f64[8])
    d3 = Conv(rl, v3: f64[8,1,5,5]) group=8 pads=[2,2,2,2]
    p3 = Conv(d3, w3: f64[8,8,1,1])
    c0 = Add(p1, p2)
    c1 = Add(p3, p1)
    a1 = AveragePool(r) kernel_shape=[3,3] pads=[1,1,1,1]
    c2 = Add(a1, l)
    a2 = AveragePool(l) kernel_shape=[3,3] pads=[1,1,1,1]
    c3 = Add(a2, a1)
    j = Concat(l, c0, c1, c2, c3) axis=1
    k = Relu(j)
    y = Conv(k, wy: f64[6,40,1,1], by: f64[6]))",
    // Attention: three products of one value, heads, a scale, and a feed-forward pair.
    R"(
    x: f64[2,3,16]
    q = MatMul(x, wq: f64[16,16], bq: f64[16])
    k = MatMul(x, wk: f64[16,16], bk: f64[16])
    v = MatMul(x, wv: f64[16,16])
    qh = Reshape(q, s: i64[4] = {2,3,4,4})
    kh = Reshape(k, t: i64[4] = {2,3,4,4})
    vh = Reshape(v, u: i64[4] = {2,3,4,4})
    qt = Transpose(qh) perm=[0,2,1,3]
    kt = Transpose(kh) perm=[0,2,3,1]
    vt = Transpose(vh) perm=[0,2,1,3]
    m = MatMul(qt, kt)
    n = Div(m, h: f64[] = {2.0})
    o = MatMul(n, vt)
    ot = Transpose(o) perm=[0,2,1,3]
    of = Reshape(ot, w: i64[3] = {2,3,16})
    a = MatMul(of, wo: f64[16,16])
    b = Add(a, x)
    e = MatMul(b, we: f64[16,128], be: f64[128]) activation="relu"
    f = MatMul(e, wf: f64[128,16])
    y = Add(f, b))",
    // A recurrent cell: gates that share an input, and a sum of products with a common factor.
    R"(
    x: f64[1,8]
    c: f64[1,8]
    u = MatMul(x, wu: f64[8,8])
    p = MatMul(x, wp: f64[8,8])
    f = Sigmoid(p)
    g = MatMul(x, wg: f64[8,8])
    r = Sigmoid(g)
    a = Mul(f, c)
    b = Mul(f, u)
    n = Add(a, b)
    d = Mul(r, n)
    e = Mul(r, x)
    y = Add(d, e))",
};

std::vector<Tensor> results(const Graph& graph) { return outputs_of(graph, whole_inputs(graph)); }

TEST(RandomMoves, KeepShapesNumbersAndValidity) {
  std::vector<Graph> blocks;
  std::vector<std::vector<Tensor>> expected;
  for (const std::string_view text : kBlocks) {
    blocks.push_back(canonicalise(parse(text)).graph);
    expected.push_back(results(blocks.back()));
  }
  for (int sequence = 0; sequence < kSequences; ++sequence) {
    std::mt19937 random(static_cast<std::uint32_t>(sequence));
    const std::size_t which = random() % blocks.size();
    RewrittenGraph rewritten(blocks[which], rewrite_limits(blocks[which]));
    const auto rounds = 1 + random() % kMostRounds;
    for (std::size_t round = 0; round < rounds; ++round) {
      const std::vector<SiteGroup> groups = site_groups(rewritten.graph(), {});
      if (groups.empty()) break;
      apply_group(rewritten, groups[random() % groups.size()]);
    }
    verify(rewritten.graph());
    const std::vector<Tensor> got = results(rewritten.graph());
    ASSERT_EQ(got.size(), expected[which].size());
    std::string moves;
    for (const RuleCount& count : rule_counts(rewritten.rounds()))
      moves += " " + count.name + " x" + std::to_string(count.count);
    for (std::size_t i = 0; i < got.size(); ++i)
      EXPECT_LE(relative_difference(expected[which][i], got[i]), kRounding)
          << "seed " << sequence << ", block " << which << ":" << moves;
  }
}

TEST(RandomMoves, AreMadeAgainFromTheirNames) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    const Graph block = canonicalise(parse(kBlocks[seed % std::size(kBlocks)])).graph;
    RewrittenGraph rewritten(block, rewrite_limits(block));
    for (int round = 0; round < 3; ++round) {
      const std::vector<SiteGroup> groups = site_groups(rewritten.graph(), {});
      if (!groups.empty()) apply_group(rewritten, groups[random() % groups.size()]);
    }
    RewrittenGraph again(block, rewrite_limits(block));
    again.replay(rewritten.rounds());
    EXPECT_EQ(print(again.graph()), print(rewritten.graph())) << "seed " << seed;
  }
}

}  // namespace
}  // namespace braid
