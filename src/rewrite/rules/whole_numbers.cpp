#include "rewrite/rules/whole_numbers.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "ops/call.h"
#include "ops/cast.h"
#include "tensor/element.h"

namespace braid {

std::vector<Tensor> whole_inputs(const Graph& graph, std::uint32_t seed) {
  std::vector<Tensor> inputs;
  for (const ValueId id : graph.inputs()) {
    const TensorType& type = graph.value(id).type;
    const bool signed_numbers = is_float_type(type.element);
    Tensor tensor = Tensor::uninitialised({ElementType::F32, type.dims});
    for (float& x : tensor.mutable_data<float>()) {
      seed = seed * 1664525U + 1013904223U;
      const int drawn = static_cast<int>(seed >> 24U);
      x = static_cast<float>(signed_numbers ? drawn % 7 - 3 : drawn % 4);
    }
    inputs.push_back(cast(tensor, type.element));
  }
  return inputs;
}

std::vector<Tensor> outputs_of(const Graph& graph, const std::vector<Tensor>& inputs) {
  const std::vector<Tensor> values = evaluate(graph, inputs);
  std::vector<Tensor> outputs;
  for (const GraphOutput& output : graph.outputs()) outputs.push_back(values[output.value.at()]);
  return outputs;
}

namespace {

/// Whether the tensors are identical, but for the signs of zeros.
bool same_numbers(const Tensor& a, const Tensor& b) {
  if (identical(a, b)) return true;
  return a.type() == b.type() && a.element() == ElementType::F32 &&
         std::ranges::equal(a.data<float>(), b.data<float>());
}

}  // namespace

std::string whole_difference(const Graph& before, const Graph& after, std::uint32_t seed) {
  if (before.outputs().size() != after.outputs().size())
    return fmt::format("{} outputs became {}", before.outputs().size(), after.outputs().size());
  const std::vector<Tensor> inputs = whole_inputs(before, seed);
  const std::vector<Tensor> expected = outputs_of(before, inputs);
  const std::vector<Tensor> got = outputs_of(after, inputs);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::string& name = before.outputs()[i].name;
    if (name != after.outputs()[i].name)
      return fmt::format("output {} became {}", quote(name), quote(after.outputs()[i].name));
    if (!same_numbers(expected[i], got[i]))
      return fmt::format("output {} differs on whole numbers of seed {}", quote(name), seed);
  }
  return {};
}

}  // namespace braid
