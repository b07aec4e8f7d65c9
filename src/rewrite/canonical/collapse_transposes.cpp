#include "graph/edit.h"
#include "rewrite/canonical/query.h"
#include "rewrite/canonical/steps.h"

namespace braid {

// From the front, so that the input of each transpose has been collapsed before it.
std::int64_t collapse_transposes(Graph& graph, Allowance&) {
  std::int64_t changes = 0;
  for (NodeId id : graph.nodes_in_order()) {
    if (!graph.alive(id) || graph.node(id).op != "Transpose") continue;
    const Node& outer = graph.node(id);
    const NodeId inner = made_by(graph, outer.inputs[0], "Transpose");
    if (!inner.valid()) continue;

    const ValueId source = graph.node(inner).inputs[0];
    const std::vector<std::size_t> first = permutation_of(graph, graph.node(inner));
    std::vector<std::size_t> both;
    for (std::size_t axis : permutation_of(graph, outer)) both.push_back(first[axis]);

    GraphEdit edit("collapse-transposes");
    const TensorType& type = graph.value(outer.outputs[0]).type;
    if (graph.value(source).type == type &&
        moves_only_unit_axes(graph.value(source).type.dims, both)) {
      edit.replace(outer.outputs[0], source);
    } else {
      Node joined;
      joined.op = "Transpose";
      joined.name = outer.name;
      joined.inputs = {source};
      joined.attributes.set("perm", std::vector<std::int64_t>(both.begin(), both.end()));
      edit.replace(outer.outputs[0], edit.add_node(std::move(joined), {type})[0]);
    }
    graph.apply(edit);
    ++changes;
  }
  return changes;
}

}  // namespace braid
