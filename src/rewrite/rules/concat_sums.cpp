#include <algorithm>

#include "graph/query.h"
#include "rewrite/convolution.h"
#include "rewrite/edit_builder.h"
#include "rewrite/rules/rules.h"

namespace braid {
namespace {

bool is_binary(const Node& node) {
  return node.op == "Add" || node.op == "Mul" || node.op == "Sub";
}

/// A binary operator on two computed values of its result's type.
bool is_even(const Graph& graph, const Node& node) {
  const TensorType& type = graph.value(node.outputs[0]).type;
  return std::ranges::all_of(node.inputs, [&](ValueId input) {
    return !graph.is_constant(input) && graph.value(input).type == type;
  });
}

/// A Concat of what the same binary operator makes, for it alone.
std::vector<Match> find_concat_of_sums(const Site& site) {
  const Graph& graph = site.graph;
  const std::vector<ValueId>& pieces = site.node().inputs;
  const NodeId first = graph.value(pieces[0]).producer;
  if (pieces.size() < 2 || !first.valid() || !is_binary(graph.node(first))) return {};
  const bool are_alike = std::ranges::all_of(pieces, [&](ValueId piece) {
    const NodeId id = made_by(graph, piece, graph.node(first).op);
    return id.valid() && has_single_use(graph, piece) && is_even(graph, graph.node(id));
  });
  if (!are_alike) return {};
  return {{.anchor = site.anchor, .nodes = {first}}};
}

bool join_operands(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const Node& concat = graph.node(match.anchor);
  const std::string name = name_of(graph, match.anchor);
  EditBuilder build(graph, allowance, edit);
  std::vector<ValueId> sides[2];
  for (const ValueId piece : concat.inputs)
    for (std::size_t side = 0; side < 2; ++side)
      sides[side].push_back(graph.node(graph.value(piece).producer).inputs[side]);
  const ValueId left = build.add("Concat", sides[0], concat.attributes, name + "/left");
  const ValueId right = build.add("Concat", sides[1], concat.attributes, name + "/right");
  build.replace(concat.outputs[0],
                build.add(graph.node(match.nodes[0]).op, {left, right}, {}, name));
  return build.affordable();
}

/// A binary operator on two Concats, made for it alone, of pieces that pair up.
std::vector<Match> find_sum_of_concats(const Site& site) {
  const Graph& graph = site.graph;
  const std::vector<ValueId>& operands = site.node().inputs;
  const NodeId left = made_by(graph, operands[0], "Concat");
  const NodeId right = made_by(graph, operands[1], "Concat");
  if (!left.valid() || !right.valid() || left == right || !has_single_use(graph, operands[0]) ||
      !has_single_use(graph, operands[1]) || !is_even(graph, site.node()))
    return {};
  const std::size_t rank = graph.value(operands[0]).type.dims.size();
  const auto axis_of_concat = [&](NodeId id) {
    return front_axis(graph.node(id).attributes.integer("axis", 0), rank);
  };
  const bool pair_up = std::ranges::equal(graph.node(left).inputs, graph.node(right).inputs,
                                          [&](ValueId a, ValueId b) {
                                            return graph.value(a).type == graph.value(b).type &&
                                                   !graph.is_constant(a) && !graph.is_constant(b);
                                          });
  if (axis_of_concat(left) != axis_of_concat(right) || !pair_up) return {};
  return {{.anchor = site.anchor, .nodes = {left, right}}};
}

bool join_results(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const Node& node = graph.node(match.anchor);
  const Node& left = graph.node(match.nodes[0]);
  const Node& right = graph.node(match.nodes[1]);
  EditBuilder build(graph, allowance, edit);
  std::vector<ValueId> pieces;
  for (std::size_t i = 0; i < left.inputs.size(); ++i)
    pieces.push_back(build.add(node.op, {left.inputs[i], right.inputs[i]}, {},
                               name_of(graph, match.anchor) + "/piece_" + std::to_string(i)));
  build.replace(node.outputs[0], build.add("Concat", std::move(pieces), left.attributes,
                                           name_of(graph, match.nodes[0])));
  return build.affordable();
}

}  // namespace

SearchedRule add_after_concat() {
  return {{"add-after-concat",
           "add or multiply two concats instead of their pieces",
           {"Concat"},
           find_concat_of_sums,
           join_operands},
          "S12",
          "concat(a1 + b1, a2 + b2) = concat(a1, a2) + concat(b1, b2)"};
}

SearchedRule add_before_concat() {
  return {{"add-before-concat",
           "add or multiply the pieces of two concats instead of the wholes",
           {"Add", "Mul", "Sub"},
           find_sum_of_concats,
           join_results},
          "S12",
          "concat(a1, a2) + concat(b1, b2) = concat(a1 + b1, a2 + b2)"};
}

}  // namespace braid
