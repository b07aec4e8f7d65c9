#include "graph/query.h"

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

std::optional<double> number_input(const Graph& graph, const Node& node, std::size_t i) {
  const Tensor* constant = constant_input(graph, node, i);
  return constant == nullptr ? std::nullopt : uniform_number(*constant);
}

NodeId only_user(const Graph& graph, ValueId value, std::string_view op) {
  if (!has_single_use(graph, value)) return {};
  const NodeId user = graph.value(value).consumers[0];
  return graph.node(user).op == op ? user : NodeId{};
}

ValueId other_operand(const Node& node, ValueId value) {
  if (node.inputs.size() != 2 || node.inputs[0] == node.inputs[1]) return {};
  if (node.inputs[0] == value) return node.inputs[1];
  return node.inputs[1] == value ? node.inputs[0] : ValueId{};
}

}  // namespace braid
