#include <rapidcheck.h>

#include "device/cpu/machine/isa.h"
#include "device/cpu/testing/kernels.h"
#include "graph/text.h"
#include "ops/builder.h"
#include "ops/chain.h"

namespace braid::cpu {
namespace {

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
  const std::vector<std::string> unary = unary_steps();
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

TEST(Chains, KeepsEveryBitOnEveryInstructionSet) {
  for (const Isa limit : {Isa::Baseline, Isa::Avx2, Isa::Avx512}) {
    const LimitedIsa limited(limit);
    EXPECT_TRUE(rc::check([] {
      std::mt19937 random(*rc::gen::arbitrary<unsigned>());
      const Graph graph = random_elementwise(random);
      const double specials = *rc::gen::element(0.0, 0.02);
      const std::vector<Tensor> inputs = {
          special_tensor(graph.value(graph.inputs()[0]).type.dims, random, specials)};
      const std::vector<Tensor> joined = compile_on_cpu(graph)->run(inputs);
      const std::vector<Tensor> apart = compile_on_cpu(with_all_outputs(graph))->run(inputs);
      for (std::size_t i = 0; i < joined.size(); ++i)
        if (!same_numbers(joined[i], apart[i]))
          RC_FAIL(print(graph) + difference(joined[i], apart[i], 0));
    }));
  }
}

TEST(Chains, KernelIsCutWithoutChangingABit) {
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
