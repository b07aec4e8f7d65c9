#include <algorithm>

#include "graph/query.h"
#include "rewrite/canonical/rules.h"

namespace braid {
namespace {

std::optional<std::size_t> axis_of(const Graph& graph, const Node& node) {
  return front_axis(node.attributes.integer("axis", 0),
                    graph.value(node.inputs[0]).type.dims.size());
}

/// Whether the Concat joins all outputs of one Split, in order.
bool restores(const Graph& graph, const Node& concat) {
  const NodeId id = made_by(graph, concat.inputs[0], "Split");
  if (!id.valid()) return false;
  const Node& split = graph.node(id);
  return concat.inputs == split.outputs && axis_of(graph, concat) == axis_of(graph, split);
}

/// Whether the Split cuts at the places where a Concat joined. Outputs and inputs then pair up.
bool undoes(const Graph& graph, const Node& split) {
  const NodeId id = made_by(graph, split.inputs[0], "Concat");
  if (!id.valid()) return false;
  const Node& concat = graph.node(id);
  if (concat.inputs.size() != split.outputs.size() ||
      axis_of(graph, concat) != axis_of(graph, split))
    return false;
  for (std::size_t i = 0; i < split.outputs.size(); ++i)
    if (!split.outputs[i].valid() ||
        graph.value(split.outputs[i]).type != graph.value(concat.inputs[i]).type)
      return false;
  return true;
}

std::vector<Match> find_cancelled(const Site& site) {
  const Node& node = site.node();
  const bool cancels = node.op == "Concat" ? restores(site.graph, node) : undoes(site.graph, node);
  if (!cancels) return {};
  return {{.anchor = site.anchor}};
}

bool hand_on_pieces(const Graph& graph, const Match& match, Allowance&, GraphEdit& edit) {
  const Node& node = graph.node(match.anchor);
  const Node& partner = graph.node(graph.value(node.inputs[0]).producer);
  for (std::size_t i = 0; i < node.outputs.size(); ++i)
    edit.replace(node.outputs[i], partner.inputs[i]);
  return true;
}

}  // namespace

Rule cancel_split_concat() {
  return {"cancel-split-concat",
          "drop a split and a concat that undo each other",
          {"Concat", "Split"},
          find_cancelled,
          hand_on_pieces};
}

}  // namespace braid
