#include <array>

#include "graph/query.h"
#include "ops/shared/broadcast.h"
#include "rewrite/canonical/rules.h"

namespace braid {
namespace {

/// Operators of two or more inputs, any of which may be smaller than the shape in which they meet.
constexpr auto kBroadcasting = std::to_array<std::string_view>(
    {"Add",        "And",         "BitShift", "BitwiseAnd", "BitwiseOr",
     "BitwiseXor", "Div",         "Equal",    "Greater",    "GreaterOrEqual",
     "Less",       "LessOrEqual", "Max",      "Mean",       "Min",
     "Mod",        "Mul",         "Or",       "Pow",        "Sub",
     "Sum",        "Where",       "Xor"});

/// Whether the node's result has the shape that it has if input `i` is another value.
bool keeps_shape(const Graph& graph, const Node& node, std::size_t i, ValueId other) {
  Dims met;
  for (std::size_t k = 0; k < node.inputs.size(); ++k)
    met = broadcast(node.op, met, graph.value(k == i ? other : node.inputs[k]).type.dims);
  return met == graph.value(node.outputs[0]).type.dims;
}

/// Finds what broadcasts without being expanded. The parameter is the input, the value what it is
/// before the Expand.
std::vector<Match> find_expanded(const Site& site) {
  const Node& node = site.node();
  std::vector<Match> found;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const NodeId expand = made_by(site.graph, node.inputs[i], "Expand");
    if (!expand.valid()) continue;
    const ValueId source = site.graph.node(expand).inputs[0];
    if (keeps_shape(site.graph, node, i, source))
      found.push_back({.anchor = site.anchor,
                       .values = {source},
                       .parameters = {static_cast<std::int64_t>(i)}});
  }
  return found;
}

bool read_unexpanded(const Graph& graph, const Match& match, Allowance&, GraphEdit& edit) {
  Node node = graph.node(match.anchor);
  const ValueId output = node.outputs[0];
  node.outputs.clear();
  node.inputs[static_cast<std::size_t>(match.parameters[0])] = match.values[0];
  edit.replace(output, edit.add_node(std::move(node), {graph.value(output).type})[0]);
  return true;
}

}  // namespace

Rule drop_expands() {
  return {"drop-expands",
          "operators that broadcast read what an Expand before them reads",
          {kBroadcasting.begin(), kBroadcasting.end()},
          find_expanded,
          read_unexpanded};
}

}  // namespace braid
