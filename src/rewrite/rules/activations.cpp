#include "rewrite/rules/activations.h"

#include <algorithm>
#include <array>

#include "graph/query.h"
#include "ops/catalog.h"

namespace braid {
namespace {

/// What a step of this operator never lets fall while its input rises.
constexpr auto kMonotone =
    std::to_array<std::string_view>({"Relu", "Clip", "Sigmoid", "Tanh", "Softplus", "Softsign"});
/// The same if the attribute `alpha` is not negative, as its default is not.
constexpr auto kMonotoneByAlpha =
    std::to_array<std::string_view>({"LeakyRelu", "Elu", "HardSigmoid"});

bool is_one_of(std::string_view op, auto& names) {
  return std::ranges::find(names, op) != names.end();
}

}  // namespace

bool is_activation(const Graph& graph, NodeId id) {
  if (!id.valid()) return false;
  const Node& node = graph.node(id);
  const OpDef* def = find_op(node.op);
  if (def == nullptr || def->activations.empty() || node.outputs.size() != 1) return false;
  return std::all_of(node.inputs.begin() + 1, node.inputs.end(), [&](ValueId input) {
    return !input.valid() ||
           (graph.is_constant(input) && element_count(graph.value(input).type) == 1);
  });
}

bool is_monotone(const Node& activation) {
  return is_one_of(activation.op, kMonotone) || (is_one_of(activation.op, kMonotoneByAlpha) &&
                                                 activation.attributes.real("alpha", 0) >= 0);
}

bool are_same_activation(const Node& a, const Node& b) {
  return a.op == b.op && a.attributes == b.attributes &&
         std::equal(a.inputs.begin() + 1, a.inputs.end(), b.inputs.begin() + 1, b.inputs.end());
}

ValueId activate(EditBuilder& build, const Graph& graph, const Node& activation, ValueId value) {
  const bool is_known = !GraphEdit::is_new(value);
  if (is_known)
    for (const NodeId reader : graph.value(value).consumers) {
      const Node& node = graph.node(reader);
      if (node.inputs[0] == value && are_same_activation(node, activation)) return node.outputs[0];
    }
  Node node;
  node.op = activation.op;
  node.attributes = activation.attributes;
  node.inputs = activation.inputs;
  node.inputs[0] = value;
  node.name = is_known ? graph.value(value).name + "/" + activation.op : activation.name;
  return build.add_node(std::move(node))[0];
}

}  // namespace braid
