#include <algorithm>

#include "graph/edit.h"
#include "rewrite/canonical/query.h"
#include "rewrite/canonical/steps.h"

namespace braid {
namespace {

std::optional<std::size_t> axis_of(const Graph& graph, const Node& node) {
  return front_axis(node.attributes.integer("axis", 0),
                    graph.value(node.inputs[0]).type.dims.size());
}

/// Concat of all outputs of one Split, in order.
bool restores(const Graph& graph, const Node& concat) {
  const NodeId id = made_by(graph, concat.inputs[0], "Split");
  if (!id.valid()) return false;
  const Node& split = graph.node(id);
  return concat.inputs == split.outputs && axis_of(graph, concat) == axis_of(graph, split);
}

/// Split at the places where a Concat joined. Outputs and inputs then pair up.
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

}  // namespace

std::int64_t cancel_split_concat(Graph& graph, Allowance&) {
  std::int64_t changes = 0;
  for (NodeId id : graph.nodes_in_order()) {
    if (!graph.alive(id)) continue;
    const Node& node = graph.node(id);
    GraphEdit edit("cancel-split-concat");
    if (node.op == "Concat" && restores(graph, node)) {
      edit.replace(node.outputs[0], graph.node(graph.value(node.inputs[0]).producer).inputs[0]);
    } else if (node.op == "Split" && undoes(graph, node)) {
      const Node& concat = graph.node(graph.value(node.inputs[0]).producer);
      for (std::size_t i = 0; i < node.outputs.size(); ++i)
        edit.replace(node.outputs[i], concat.inputs[i]);
    } else {
      continue;
    }
    graph.apply(edit);
    ++changes;
  }
  return changes;
}

}  // namespace braid
