#include <gtest/gtest.h>

#include "device/lowering/rules.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "ops/builder.h"

namespace braid {
namespace {

Graph fused(std::string_view text) {
  Graph graph = parse(text);
  Allowance allowance;
  apply_everywhere(fuse_chains(), graph, allowance);
  return graph;
}

std::vector<std::string> chains(std::string_view text) {
  const Graph graph = fused(text);
  verify(graph);
  std::vector<std::string> found;
  for (const NodeId id : graph.nodes_in_order())
    if (graph.node(id).op == "Chain") {
      found.emplace_back();
      for (const std::string& op : graph.node(id).attributes.texts("ops"))
        found.back() += found.back().empty() ? op : " " + op;
    }
  return found;
}

TEST(FuseChains, JoinsATreeOfOneShape) {
  const Graph graph = fused(R"(
      forget: f32[1,64]
      state: f32[1,64]
      candidate: f32[1,64]
      kept = Mul(forget, state)
      taken = Mul(forget, candidate)
      y = Add(kept, taken))");
  EXPECT_EQ(print(graph), R"(forget: f32[1,64]
state: f32[1,64]
candidate: f32[1,64]
y = Chain(forget, state, candidate) operands=[0,1,0,2,3,4] ops=["Mul","Mul","Add"]
)");
}

TEST(FuseChains, KeepsWhatOthersRead) {
  EXPECT_EQ(chains(R"(
      x: f32[64]
      a = Exp(x)
      b = Relu(a)
      c = Tanh(b)
      d = Softmax(b)
      return c
      return d)"),
            std::vector<std::string>{"Exp Relu"});
  EXPECT_EQ(chains(R"(
      x: f32[64]
      a = Exp(x)
      b = Relu(a)
      return a
      return b)"),
            std::vector<std::string>{});
}

TEST(FuseChains, JoinsAValueThatIsReadTwiceInside) {
  EXPECT_EQ(chains(R"(
      x: f32[64]
      a = Sigmoid(x)
      b = Tanh(a)
      y = Mul(a, b))"),
            std::vector<std::string>{"Sigmoid Tanh Mul"});
}

TEST(FuseChains, LeavesAnotherShapeAlone) {
  EXPECT_EQ(chains(R"(
      x: f32[4,64]
      s: f32[1,64]
      t = Sigmoid(s)
      a = Mul(x, t)
      y = Relu(a))"),
            std::vector<std::string>{"Mul Relu"});
}

TEST(FuseChains, LeavesALargeOperatorOfAnEarlyBranchAlone) {
  constexpr std::string_view graph = R"(
      x: f32[{0},64]
      a = Sigmoid(x)
      b = Softmax(x)
      c = Softmax(b)
      d = Softmax(c)
      e = Softmax(d)
      y = Mul(e, a))";
  const auto of = [&](const std::string& rows) {
    std::string text(graph);
    text.replace(text.find("{0}"), 3, rows);
    return chains(text);
  };
  EXPECT_EQ(of("8"), std::vector<std::string>{"Sigmoid Mul"});
  EXPECT_EQ(of("4096"), std::vector<std::string>{});
}

TEST(FuseChains, StepsAreBounded) {
  std::string text = "x: f32[64]\nv0 = Relu(x)\n";
  for (int i = 1; i < 40; ++i)
    text += "v" + std::to_string(i) + " = Neg(v" + std::to_string(i - 1) + ")\n";
  EXPECT_EQ(chains(text).size(), 4U) << "12, 12, 12 and 4 steps";
}

TEST(FuseChains, ClipIsTwoSteps) {
  EXPECT_EQ(chains(R"(
      x: f32[4]
      a = Clip(x, low: f32[] = {-1}, high: f32[] = {1})
      y = Mul(a, a))"),
            std::vector<std::string>{"Max Min Mul"});
}

}  // namespace
}  // namespace braid
