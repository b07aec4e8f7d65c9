#include <cmath>
#include <numbers>

#include "graph/edit.h"
#include "rewrite/canonical/formula.h"
#include "rewrite/canonical/steps.h"

namespace braid {
namespace {

/// x of erf(x / sqrt 2).
ValueId operand_of_erf(const Graph& graph, const Node& erf) {
  return as_multiple(graph, erf.inputs[0], 1 / std::numbers::sqrt2);
}

/// x of tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)).
ValueId operand_of_tanh(const Graph& graph, const Node& tanh) {
  const ValueId sum =
      as_multiple(graph, tanh.inputs[0], std::numbers::sqrt2 * std::numbers::inv_sqrtpi);
  const NodeId add = made_by(graph, sum, "Add");
  if (!add.valid()) return {};
  const auto& inputs = graph.node(add).inputs;
  for (std::size_t side = 0; side < 2; ++side) {
    const ValueId x = inputs[1 - side];
    const ValueId cube = as_multiple(graph, inputs[side], 0.044715);
    if (cube.valid() && as_cube(graph, cube) == x) return x;
  }
  return {};
}

/// The node that makes 0.5 * x * s, in whichever order, where `s` is read by it alone; invalid if
/// there is none.
NodeId half_product(const Graph& graph, ValueId x, ValueId s) {
  const NodeId mul = only_user(graph, s, "Mul");
  if (!mul.valid()) return {};
  const ValueId other = other_operand(graph.node(mul), s);
  if (!other.valid()) return {};
  if (as_multiple(graph, other, 0.5) == x) return mul;  // (0.5 x) s
  const ValueId product = graph.node(mul).outputs[0];
  if (other == x) {  // 0.5 (x s)
    for (std::string_view op : {"Mul", "Div"}) {
      const NodeId half = only_user(graph, product, op);
      if (half.valid() && as_multiple(graph, graph.node(half).outputs[0], 0.5) == product)
        return half;
    }
    return {};
  }
  if (as_multiple(graph, product, 0.5) != s) return {};
  const NodeId last = only_user(graph, product, "Mul");  // x (0.5 s)
  return last.valid() && other_operand(graph.node(last), product) == x ? last : NodeId{};
}

}  // namespace

// Gelu(x) = 0.5 * x * (1 + erf(x / sqrt 2)), or with tanh.
std::int64_t recognise_gelu(Graph& graph, Allowance&) {
  std::int64_t changes = 0;
  for (NodeId id : graph.nodes_in_order()) {
    if (!graph.alive(id)) continue;
    const Node& node = graph.node(id);
    const bool is_tanh = node.op == "Tanh";
    if (!is_tanh && node.op != "Erf") continue;
    const ValueId x = is_tanh ? operand_of_tanh(graph, node) : operand_of_erf(graph, node);
    const NodeId plus_one = x.valid() ? only_user(graph, node.outputs[0], "Add") : NodeId{};
    if (!plus_one.valid()) continue;
    const ValueId sum = graph.node(plus_one).outputs[0];
    if (as_sum(graph, sum, 1) != node.outputs[0]) continue;
    const NodeId last = half_product(graph, x, sum);
    if (!last.valid()) continue;
    const ValueId result = graph.node(last).outputs[0];
    if (graph.value(result).type != graph.value(x).type) continue;

    Node gelu;
    gelu.op = "Gelu";
    gelu.name = graph.node(last).name;
    gelu.inputs = {x};
    if (is_tanh) gelu.attributes.set("approximate", std::string("tanh"));
    GraphEdit edit("recognise-gelu");
    edit.replace(result, edit.add_node(std::move(gelu), {graph.value(x).type})[0]);
    graph.apply(edit);
    ++changes;
  }
  return changes;
}

}  // namespace braid
