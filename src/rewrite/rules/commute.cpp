#include "graph/query.h"
#include "ops/catalog.h"
#include "rewrite/edit_builder.h"
#include "rewrite/rules/convolution.h"
#include "rewrite/rules/rules.h"

namespace braid {
namespace {

/// One input, one output of the same type, element by element.
bool is_elementwise_unary(const Node& node) {
  const OpDef* def = find_op(node.op);
  return def != nullptr && node.inputs.size() == 1 && node.outputs.size() == 1 &&
         !def->activations.empty();
}

/// An activation of a Concat.
std::vector<Match> find_activated_concat(const Site& site) {
  if (!is_elementwise_unary(site.node())) return {};
  const NodeId concat = made_by(site.graph, site.node().inputs[0], "Concat");
  if (!concat.valid()) return {};
  return {{.anchor = site.anchor, .nodes = {concat}}};
}

/// A reader of the value that is the same operator; invalid if there is none.
ValueId already_activated(const Graph& graph, ValueId value, const Node& activation) {
  for (const NodeId reader : graph.value(value).consumers) {
    const Node& node = graph.node(reader);
    if (node.op == activation.op && node.attributes == activation.attributes &&
        node.inputs == std::vector{value})
      return node.outputs[0];
  }
  return {};
}

bool activate_pieces(const Graph& graph, const Match& match, Allowance& allowance,
                     GraphEdit& edit) {
  const Node& activation = graph.node(match.anchor);
  const Node& concat = graph.node(match.nodes[0]);
  EditBuilder build(graph, allowance, edit);
  std::vector<ValueId> pieces;
  for (const ValueId piece : concat.inputs) {
    ValueId made = already_activated(graph, piece, activation);
    if (!made.valid())
      made = build.add(activation.op, {piece}, activation.attributes,
                       graph.value(piece).name + "/" + activation.op);
    pieces.push_back(made);
  }
  build.replace(activation.outputs[0],
                build.add("Concat", pieces, concat.attributes, name_of(graph, match.nodes[0])));
  return build.affordable();
}

}  // namespace

SearchedRule activate_before_concat() {
  return {{"activate-before-concat",
           "apply an activation to the pieces of a concat instead of the whole",
           {},
           find_activated_concat,
           activate_pieces},
          "S12",
          "f(concat(a, b)) = concat(f(a), f(b)) for f element by element"};
}

}  // namespace braid
