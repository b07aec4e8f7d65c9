#include "rewrite/settle.h"

#include "ops/catalog.h"
#include "ops/shared/epilogue.h"
#include "rewrite/name_outputs.h"

namespace braid {

Graph settled(Graph graph, std::vector<std::string> disabled) {
  for (const NodeId id : graph.node_ids()) {
    const OpDef* def = find_op(graph.node(id).op);
    if (def == nullptr || !(def->takes_epilogue || def->name == "BatchNormalization") ||
        !has_epilogue(graph.node(id)))
      continue;
    graph.apply(def->expand(graph, id));
  }
  graph = canonicalise(std::move(graph), {.disabled = std::move(disabled)}).graph;
  name_outputs(graph);
  return graph;
}

}  // namespace braid
