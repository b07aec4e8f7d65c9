#include <rapidcheck.h>

#include "device/cpu/isa.h"
#include "device/cpu/lower.h"
#include "device/cpu/rules.h"
#include "device/cpu/testing.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "ops/builder.h"
#include "ops/chain.h"

namespace braid::cpu {
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
  const auto of = [&](std::string rows) {
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

/// Elementwise operators on values of one shape, now and then after a convolution, so that there
/// are channels-last ones.
Graph random_elementwise(std::mt19937& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const Dims dims = {
      1 + static_cast<std::int64_t>(below(2)), 1 + static_cast<std::int64_t>(below(20)),
      1 + static_cast<std::int64_t>(below(30)), 1 + static_cast<std::int64_t>(below(9))};
  Graph graph;
  Builder builder(graph);
  int constants = 0;
  const auto constant = [&](Dims shape) {
    return builder.constant("w" + std::to_string(constants++),
                            random_tensor(std::move(shape), random));
  };
  const std::vector<std::string> unary = {"Abs",  "Elu",       "Erf",        "Exp",  "Gelu",
                                          "Neg",  "HardSwish", "Reciprocal", "Relu", "Sigmoid",
                                          "Sqrt", "LeakyRelu", "Swish",      "Tanh", "HardSigmoid"};
  const std::vector<std::string> binary = {"Add", "Sub", "Mul", "Div", "Min", "Max"};
  std::vector<ValueId> values = {graph.add_input("x", {ElementType::F32, dims})};
  if (below(2) == 0)
    values.push_back(builder.add("Conv", {values[0], constant({dims[1], dims[1], 1, 1})}));
  const auto any = [&] {
    return values[values.size() - 1 - below(std::min<std::size_t>(values.size(), 3))];
  };
  for (std::size_t i = 2 + below(14); i > 0; --i) {
    const ValueId x = any();
    if (below(2) == 0) {
      values.push_back(builder.add(unary[below(unary.size())], {x}));
      continue;
    }
    const std::vector<Dims> shapes = {{}, {1, dims[1], 1, 1}, dims, {dims[3]}, {dims[2], 1}};
    const ValueId y = below(2) == 0 ? any() : constant(shapes[below(shapes.size())]);
    const bool swapped = below(2) == 0;
    values.push_back(builder.add(binary[below(binary.size())], {swapped ? y : x, swapped ? x : y}));
  }
  for (const ValueId id : graph.value_ids())
    if (graph.value(id).producer.valid() && graph.value(id).consumers.empty()) graph.add_output(id);
  return graph;
}

/// The same graph in which every value is an output, so that nothing can be joined.
Graph with_all_outputs(const Graph& graph) {
  Graph open = graph;
  for (const ValueId id : graph.value_ids())
    if (graph.value(id).producer.valid() && !graph.is_output(id)) open.add_output(id);
  return open;
}

TEST(FuseChains, KeepsEveryBitOnEveryInstructionSet) {
  for (const Isa limit : {Isa::Baseline, Isa::Avx2, Isa::Avx512}) {
    const LimitedIsa limited(limit);
    EXPECT_TRUE(rc::check([] {
      std::mt19937 random(*rc::gen::arbitrary<unsigned>());
      const Graph graph = random_elementwise(random);
      const std::vector<Tensor> inputs = {
          random_tensor(graph.value(graph.inputs()[0]).type.dims, random)};
      const std::vector<Tensor> joined = compile_on_cpu(graph)->run(inputs);
      const std::vector<Tensor> apart = compile_on_cpu(with_all_outputs(graph))->run(inputs);
      for (std::size_t i = 0; i < joined.size(); ++i)
        if (!same_numbers(joined[i], apart[i]))
          RC_FAIL(print(graph) + difference(joined[i], apart[i], 0));
    }));
  }
}

TEST(FuseChains, KernelIsCutWithoutChangingABit) {
  EXPECT_TRUE(rc::check([] {
    std::mt19937 random(*rc::gen::arbitrary<unsigned>());
    const auto below = [&](std::size_t n) { return static_cast<std::int64_t>(random() % n); };
    const Dims dims = {1 + below(3), 1 + below(40), 1 + below(90)};
    Case c;
    c.op = "Chain";
    c.attributes = chain_attributes({{"Mul", {0, 1}}, {"Tanh", {3}}, {"Add", {4, 2}}});
    c.inputs = {random_tensor(dims, random), random_tensor({dims[1], 1}, random),
                random_tensor({dims[2]}, random)};
    const std::string text = compare_with_evaluate(c, 2e-6);
    if (!text.empty()) RC_FAIL(text);
  }));
}

}  // namespace
}  // namespace braid::cpu
