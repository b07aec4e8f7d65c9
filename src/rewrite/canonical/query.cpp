#include "rewrite/canonical/query.h"

#include <cmath>

#include "tensor/element.h"

namespace braid {
namespace {

/// Longer constants are weights, not parameters of an operator.
constexpr std::int64_t kLongest = 4096;

}  // namespace

NodeId made_by(const Graph& graph, ValueId value, std::string_view op) {
  if (!value.valid()) return {};
  const NodeId producer = graph.value(value).producer;
  return producer.valid() && graph.node(producer).op == op ? producer : NodeId{};
}

bool has_single_use(const Graph& graph, ValueId value) {
  return graph.value(value).consumers.size() == 1 && !graph.is_output(value);
}

ValueId input_of(const Node& node, std::size_t i) {
  return i < node.inputs.size() ? node.inputs[i] : ValueId{};
}

const Tensor* constant_input(const Graph& graph, const Node& node, std::size_t i) {
  const ValueId input = input_of(node, i);
  return input.valid() && graph.is_constant(input) ? &graph.value(input).constant : nullptr;
}

std::optional<std::vector<std::int64_t>> constant_integers(const Graph& graph, const Node& node,
                                                           std::size_t i) {
  const Tensor* constant = constant_input(graph, node, i);
  if (constant == nullptr || constant->elements() > kLongest) return std::nullopt;
  const Tensor tensor = constant->aligned();
  std::vector<std::int64_t> list;
  if (tensor.element() == ElementType::I64)
    for (std::int64_t x : tensor.data<std::int64_t>()) list.push_back(x);
  else if (tensor.element() == ElementType::I32)
    for (std::int32_t x : tensor.data<std::int32_t>()) list.push_back(x);
  else
    return std::nullopt;
  return list;
}

std::optional<double> uniform_number(const Tensor& tensor) {
  const std::int64_t count = tensor.elements();
  if (count == 0 || count > kLongest) return std::nullopt;
  const Tensor aligned = tensor.aligned();
  return dispatch(tensor.element(), [&](auto tag) -> std::optional<double> {
    using T = typename decltype(tag)::type;
    const auto data = aligned.data<T>();
    const auto first = static_cast<double>(load(data[0]));
    for (T element : data) {
      const auto x = static_cast<double>(load(element));
      if (x != first || std::signbit(x) != std::signbit(first)) return std::nullopt;
    }
    return first;
  });
}

std::optional<std::size_t> front_axis(std::int64_t axis, std::size_t rank) {
  const auto limit = static_cast<std::int64_t>(rank);
  if (axis < -limit || axis >= limit) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + limit : axis);
}

std::vector<std::size_t> permutation_of(const Graph& graph, const Node& transpose) {
  const std::size_t rank = graph.value(transpose.inputs[0]).type.dims.size();
  const auto perm = transpose.attributes.integers("perm");
  std::vector<std::size_t> permutation;
  for (std::size_t i = 0; i < rank; ++i)
    permutation.push_back(perm.empty() ? rank - 1 - i : static_cast<std::size_t>(perm.at(i)));
  return permutation;
}

bool moves_only_unit_axes(const Dims& dims, const std::vector<std::size_t>& permutation) {
  std::size_t last = 0;
  for (std::size_t axis : permutation) {
    if (dims[axis] == 1) continue;
    if (axis < last) return false;
    last = axis;
  }
  return true;
}

bool only_renames_dims(const Node& node) {
  for (std::string_view op : {"Reshape", "Flatten", "Squeeze", "Unsqueeze"})
    if (node.op == op) return true;
  return false;
}

}  // namespace braid
