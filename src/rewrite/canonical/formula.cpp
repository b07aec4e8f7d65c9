#include "rewrite/canonical/formula.h"

#include <cmath>

namespace braid {
namespace {

bool close(double a, double b) { return std::abs(a - b) <= 1e-6 * std::abs(b); }

bool is_number(const Graph& graph, const Node& node, std::size_t i, double number) {
  const auto found = number_input(graph, node, i);
  return found && close(*found, number);
}

/// The operand of a commutative binary node beside the number.
ValueId beside_number(const Graph& graph, const Node& node, double number) {
  for (std::size_t side = 0; side < 2 && node.inputs.size() == 2; ++side)
    if (is_number(graph, node, side, number)) return node.inputs[1 - side];
  return {};
}

ValueId as_power(const Graph& graph, ValueId value, double exponent) {
  const NodeId pow = made_by(graph, value, "Pow");
  if (!pow.valid() || !is_number(graph, graph.node(pow), 1, exponent)) return {};
  return graph.node(pow).inputs[0];
}

}  // namespace

std::optional<double> number_input(const Graph& graph, const Node& node, std::size_t i) {
  const Tensor* constant = constant_input(graph, node, i);
  return constant == nullptr ? std::nullopt : uniform_number(*constant);
}

ValueId as_multiple(const Graph& graph, ValueId value, double number) {
  if (const NodeId mul = made_by(graph, value, "Mul"); mul.valid())
    return beside_number(graph, graph.node(mul), number);
  if (const NodeId div = made_by(graph, value, "Div"); div.valid())
    if (is_number(graph, graph.node(div), 1, 1 / number)) return graph.node(div).inputs[0];
  return {};
}

ValueId as_sum(const Graph& graph, ValueId value, double number) {
  const NodeId add = made_by(graph, value, "Add");
  return add.valid() ? beside_number(graph, graph.node(add), number) : ValueId{};
}

ValueId as_square(const Graph& graph, ValueId value) {
  if (const ValueId base = as_power(graph, value, 2); base.valid()) return base;
  const NodeId mul = made_by(graph, value, "Mul");
  if (!mul.valid()) return {};
  const auto& inputs = graph.node(mul).inputs;
  return inputs[0] == inputs[1] ? inputs[0] : ValueId{};
}

ValueId as_cube(const Graph& graph, ValueId value) {
  if (const ValueId base = as_power(graph, value, 3); base.valid()) return base;
  const NodeId mul = made_by(graph, value, "Mul");
  if (!mul.valid()) return {};
  const auto& inputs = graph.node(mul).inputs;
  for (std::size_t side = 0; side < 2; ++side)
    if (as_square(graph, inputs[side]) == inputs[1 - side]) return inputs[1 - side];
  return {};
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
