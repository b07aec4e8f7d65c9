#include <gtest/gtest.h>

#include "device/cpu/lowering/rules.h"
#include "device/cpu/testing/kernels.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "ops/builder.h"
#include "rewrite/canonicalise.h"

namespace braid::cpu {
namespace {

Graph with_attention_fused(std::string_view text) {
  Graph graph = parse(text);
  Allowance allowance = allowance_of(graph);
  apply_everywhere(plain_attention(), graph, allowance);
  apply_everywhere(fuse_attention(), graph, allowance);
  verify(graph);
  return graph;
}

int fused_count(const Graph& graph) {
  int count = 0;
  for (const NodeId id : graph.node_ids()) count += graph.node(id).op == "FusedAttention" ? 1 : 0;
  return count;
}

/// Expects that the rule applies once and that the numbers stay, up to rounding.
void expect_fused(std::string_view text) {
  const Graph graph = parse(text);
  const Graph fused = with_attention_fused(text);
  EXPECT_EQ(fused_count(fused), 1) << print(fused);
  std::mt19937 random(3);
  std::vector<Tensor> inputs;
  for (const ValueId id : graph.inputs()) {
    const TensorType& type = graph.value(id).type;
    Tensor numbers = random_tensor(type.dims, random);
    if (type.element == ElementType::Bool) {
      Tensor truths = Tensor::uninitialised(type);
      std::ranges::transform(numbers.data<float>(), truths.mutable_data<bool>().begin(),
                             [](float x) { return x > -0.5F; });
      numbers = truths;
    }
    inputs.push_back(numbers);
  }
  const Tensor expected = evaluate(graph, inputs)[graph.outputs()[0].value.at()];
  const Tensor got = evaluate(fused, inputs)[fused.outputs()[0].value.at()];
  EXPECT_EQ(difference(got, expected, 1e-6), "") << print(fused);
}

void expect_apart(std::string_view text) {
  const Graph graph = with_attention_fused(text);
  EXPECT_EQ(fused_count(graph), 0) << print(graph);
}

TEST(FuseAttention, JoinsProductsAndSoftmax) {
  const Graph graph = with_attention_fused(R"(
      q: f32[1,2,5,4]
      k: f32[1,2,4,6]
      v: f32[1,2,6,3]
      s = MatMul(q, k)
      d = Div(s, two: f32[] = {2})
      p = Softmax(d) axis=-1
      y = MatMul(p, v))");
  EXPECT_EQ(print(graph), R"(q: f32[1,2,5,4]
k: f32[1,2,4,6]
v: f32[1,2,6,3]
y = FusedAttention(q, k, v) scale=0.5
)");
}

TEST(FuseAttention, TakesMasksInTheirOrder) {
  const Graph graph = with_attention_fused(R"(
      q: f32[1,2,5,4]
      k: f32[1,2,4,6]
      v: f32[1,2,6,3]
      near: bool[1,1,5,6]
      padding: bool[1,1,1,6]
      bias: f32[2,5,6]
      s = MatMul(q, k)
      a = Add(bias, s)
      b = Where(near, a, low: f32[] = {-100})
      c = Where(padding, lower: f32[] = {-1000}, b)
      p = Softmax(c) axis=3
      y = MatMul(p, v))");
  EXPECT_EQ(print(graph), R"(q: f32[1,2,5,4]
k: f32[1,2,4,6]
v: f32[1,2,6,3]
near: bool[1,1,5,6]
padding: bool[1,1,1,6]
bias: f32[2,5,6]
y = FusedAttention(q, k, v, bias, near, padding) fills=[0.0,-100.0,-1000.0] masks=["add","keep","drop"]
)");
}

TEST(FuseAttention, KeepsTheNumbersOfWhatExportersWrite) {
  // Both operands are scaled, the keys before they are transposed.
  expect_fused(R"(
      q: f32[1,5,2,4]
      k: f32[1,6,2,4]
      v: f32[1,6,2,3]
      qt = Transpose(q) perm=[0,2,1,3]
      qs = Mul(qt, a: f32[] = {0.7})
      ks = Mul(b: f32[1] = {0.6}, k)
      kt = Transpose(ks) perm=[0,2,3,1]
      vt = Transpose(v) perm=[0,2,1,3]
      s = MatMul(qs, kt)
      p = Softmax(s)
      y = MatMul(p, vt))");
  // A position bias is added by the product itself.
  expect_fused(R"(
      q: f32[2,2,5,4]
      k: f32[2,2,4,6]
      v: f32[2,2,6,3]
      bias: f32[1,2,5,6]
      more: f32[2,2,5,6]
      s = MatMul(q, k, bias, more)
      p = Softmax(s)
      y = MatMul(p, v))");
  // Rows that see no key are zeros.
  expect_fused(R"(
      q: f32[3,5,4]
      k: f32[3,4,6]
      v: f32[3,6,3]
      sees: bool[1,5,1]
      s = MatMul(q, k)
      m = Where(sees, s, never: f32[] = {-inf})
      p = Softmax(m)
      n = IsNaN(p)
      z = Where(n, zero: f32[] = {0}, p)
      y = MatMul(z, v))");
}

TEST(FuseAttention, SplitsWindowsAsTheirMaskDoes) {
  constexpr std::string_view text = R"(
      q: f32[6,2,5,4]
      k: f32[6,1,4,5]
      v: f32[6,2,5,3]
      bias: f32[1,2,5,5]
      windows: f32[1,3,1,5,5]
      s = MatMul(q, k)
      b = Add(s, bias)
      r = Reshape(b, apart: i64[5] = {2,3,2,5,5})
      m = Add(r, windows)
      j = Reshape(m, joined: i64[4] = {6,2,5,5})
      p = Softmax(j)
      y = MatMul(p, v))";
  expect_fused(text);
  const Graph graph = with_attention_fused(text);
  EXPECT_EQ(graph.value(graph.find("y")).type.dims, (Dims{6, 2, 5, 3}));
}

TEST(FuseAttention, LeavesAnotherMaskOfJoinedWindowsAlone) {
  expect_apart(R"(
      q: f32[6,2,5,4]
      k: f32[6,2,4,5]
      v: f32[6,2,5,3]
      bias: f32[6,2,5,5]
      windows: f32[1,3,1,5,5]
      s = MatMul(q, k)
      b = Add(s, bias)
      r = Reshape(b, apart: i64[5] = {2,3,2,5,5})
      m = Add(r, windows)
      j = Reshape(m, joined: i64[4] = {6,2,5,5})
      p = Softmax(j)
      y = MatMul(p, v))");
}

TEST(FuseAttention, NeedsSharesThatNobodyElseReads) {
  const std::string body = R"(
      q: f32[2,5,4]
      k: f32[2,4,6]
      v: f32[2,6,3]
      s = MatMul(q, k)
      d = Mul(s, half: f32[] = {0.5})
      p = Softmax(d)
      y = MatMul(p, v))";
  expect_fused(body);
  expect_apart(body + "\n      z = Relu(p)\n      return y, z");
  for (const char* between : {"s", "d", "p"}) expect_apart(body + "\n      return y, " + between);
}

TEST(FuseAttention, NeedsASoftmaxAlongTheKeys) {
  expect_apart(R"(
      q: f32[2,5,4]
      k: f32[2,4,6]
      v: f32[2,6,3]
      s = MatMul(q, k)
      p = Softmax(s) axis=1
      y = MatMul(p, v))");
}

TEST(FuseAttention, NeedsMasksThatBroadcastToTheScores) {
  expect_apart(R"(
      q: f32[1,5,4]
      k: f32[1,4,6]
      v: f32[1,6,3]
      mask: f32[2,5,6]
      s = MatMul(q, k)
      m = Add(s, mask)
      p = Softmax(m)
      y = MatMul(p, v))");
}

TEST(FuseAttention, NeedsFloat32) {
  expect_apart(R"(
      q: f64[1,5,4]
      k: f64[1,4,6]
      v: f64[1,6,3]
      s = MatMul(q, k)
      p = Softmax(s)
      y = MatMul(p, v))");
}

TEST(FuseAttention, LeavesScalingAfterAMaskAlone) {
  expect_apart(R"(
      q: f32[1,5,4]
      k: f32[1,4,6]
      v: f32[1,6,3]
      mask: f32[5,6]
      s = MatMul(q, k)
      m = Add(s, mask)
      d = Mul(m, half: f32[] = {0.5})
      p = Softmax(d)
      y = MatMul(p, v))");
}

TEST(FuseAttention, LooksThroughAFewNodesOnly) {
  std::string text = R"(
      q: f32[1,5,4]
      k: f32[1,4,6]
      v: f32[1,6,3]
      mask: f32[5,6]
      s0 = MatMul(q, k))";
  constexpr int adds = 20'000;
  for (int i = 0; i < adds; ++i)
    text += "\n s" + std::to_string(i + 1) + " = Add(s" + std::to_string(i) + ", mask)";
  expect_apart(text + "\n p = Softmax(s" + std::to_string(adds) + ")\n y = MatMul(p, v)");
}

TEST(FuseAttention, LeavesConstantMatricesToTheirPanels) {
  expect_apart(R"(
      q: f32[5,4]
      s = MatMul(q, k: f32[4,6])
      p = Softmax(s)
      y = MatMul(p, v: f32[6,3]))");
}

TEST(FuseAttention, FindsWhatIsWrittenWithEinsum) {
  const Canonicalised canonical = canonicalise(parse(R"(
      q: f32[1,5,2,4]
      k: f32[1,6,2,4]
      v: f32[1,6,2,3]
      s = Einsum(q, k) equation="bqhd,bkhd->bhqk"
      d = Mul(s, half: f32[] = {0.5})
      p = Softmax(d)
      y = Einsum(p, v) equation="bhqk,bkhd->bqhd")"));
  Graph graph = canonical.graph;
  Allowance allowance = allowance_of(graph);
  apply_everywhere(fuse_attention(), graph, allowance);
  EXPECT_EQ(fused_count(graph), 1) << print(graph);
}

TEST(PlainAttention, KeepsTheNumbersInEveryForm) {
  expect_fused(R"(
      q: f32[2,4,5,8]
      k: f32[2,4,6,8]
      v: f32[2,4,6,3]
      y = Attention(q, k, v) scale=0.5)");
  expect_fused(R"(
      q: f32[2,5,32]
      k: f32[2,6,32]
      v: f32[2,6,12]
      y = Attention(q, k, v) q_num_heads=4 kv_num_heads=4)");
  // Two heads share their keys.
  expect_fused(R"(
      q: f32[2,5,32]
      k: f32[2,6,16]
      v: f32[2,6,6]
      y = Attention(q, k, v) q_num_heads=4 kv_num_heads=2)");
  expect_fused(R"(
      q: f32[2,4,5,8]
      k: f32[2,2,6,8]
      v: f32[2,2,6,3]
      y = Attention(q, k, v))");
}

TEST(PlainAttention, TakesMasksOfEveryShape) {
  const std::string operands = R"(
      q: f32[2,4,5,8]
      k: f32[2,2,6,8]
      v: f32[2,2,6,3]
      )";
  for (const char* mask : {"6", "1,6", "5,6", "1,5,6", "4,5,6", "4,1,6", "1,1,1,6", "2,1,5,6",
                           "1,4,5,6", "2,4,5,6", "2,4,1,6", "5,4", "2,4,5,3", "5,1"})
    for (const char* type : {"f32", "bool"})
      expect_fused(operands + "mask: " + type + "[" + mask + "]\n y = Attention(q, k, v, mask)");
}

TEST(PlainAttention, HidesKeysByTheirPlaces) {
  for (const char* keys : {"3", "5", "9"})
    for (const char* window :
         {"is_causal=1", "left_window_size=1", "right_window_size=0",
          "is_causal=1 left_window_size=2", "left_window_size=9223372036854775807",
          "right_window_size=9223372036854775807 left_window_size=0"}) {
      const std::string k = keys;
      const std::string attributes = std::string(" ") + window;
      expect_fused("q: f32[2,4,5,8]\n k: f32[2,2," + k + ",8]\n v: f32[2,2," + k +
                   ",3]\n y = Attention(q, k, v)" + attributes);
    }
}

TEST(PlainAttention, CapsScores) {
  expect_fused(R"(
      q: f32[2,4,5,8]
      k: f32[2,4,6,8]
      v: f32[2,4,6,3]
      mask: bool[5,6]
      y = Attention(q, k, v, mask) softcap=0.5)");
}

TEST(PlainAttention, ContinuesACache) {
  constexpr std::string_view text = R"(
      q: f32[2,1,32]
      k: f32[2,1,16]
      v: f32[2,1,6]
      mask: f32[2,4,1,7]
      past_k: f32[2,2,6,8]
      past_v: f32[2,2,6,3]
      y, present_k, present_v = Attention(q, k, v, mask, past_k, past_v) is_causal=1 kv_num_heads=2 q_num_heads=4
      return y, present_k, present_v)";
  expect_fused(text);
  // Heads that share keys are rows of one product.
  const Graph graph = with_attention_fused(text);
  for (const NodeId id : graph.node_ids())
    if (graph.node(id).op == "FusedAttention") {
      EXPECT_EQ(graph.value(graph.node(id).inputs[0]).type.dims, (Dims{2, 2, 2, 8}));
    }
}

TEST(PlainAttention, HandsOnKeysAndValues) {
  for (const char* form : {"q: f32[2,4,5,8]\n k: f32[2,4,6,8]\n v: f32[2,4,6,3]\n"
                           "y, pk, pv = Attention(q, k, v)\n return y, pk, pv",
                           "q: f32[2,5,16]\n k: f32[2,6,16]\n v: f32[2,6,6]\n"
                           "y, pk, pv = Attention(q, k, v) q_num_heads=2 kv_num_heads=2\n"
                           "return y, pk, pv"}) {
    const Graph graph = parse(form);
    const Graph fused = with_attention_fused(form);
    EXPECT_EQ(fused_count(fused), 1);
    std::mt19937 random(3);
    std::vector<Tensor> inputs;
    for (const ValueId id : graph.inputs())
      inputs.push_back(random_tensor(graph.value(id).type.dims, random));
    for (std::size_t i = 1; i < 3; ++i)
      EXPECT_TRUE(identical(evaluate(fused, inputs)[fused.outputs()[i].value.at()],
                            evaluate(graph, inputs)[graph.outputs()[i].value.at()]));
  }
}

TEST(PlainAttention, LeavesWantedScoresAndCountedKeysAlone) {
  const std::string operands = R"(
      q: f32[2,4,5,8]
      k: f32[2,4,6,8]
      v: f32[2,4,6,3]
      counts: i64[2]
      )";
  expect_apart(operands + "y, -, -, s = Attention(q, k, v)\n return y, s");
  expect_apart(operands + "y = Attention(q, k, v, -, -, -, counts)");
  expect_apart("q: f64[2,4,5,8]\n k: f64[2,4,6,8]\n v: f64[2,4,6,3]\n y = Attention(q, k, v)");
}

}  // namespace
}  // namespace braid::cpu
