#include "rewrite/settle.h"

#include <algorithm>

#include "ops/catalog.h"
#include "ops/shared/epilogue.h"

namespace braid {
namespace {

bool bears_name_of_output(const Graph& graph, ValueId value) {
  return std::ranges::any_of(graph.outputs(), [&](const GraphOutput& output) {
    return output.value == value && output.name == graph.value(value).name;
  });
}

/// In a file an output is the value of that name.
void name_outputs(Graph& graph) {
  for (const GraphOutput& output : graph.outputs()) {
    if (!graph.value(output.value).producer.valid() || bears_name_of_output(graph, output.value))
      continue;
    const ValueId other = graph.find(output.name);
    if (std::ranges::count(graph.inputs(), other) > 0) continue;
    if (other.valid()) graph.rename(other, graph.fresh_name(output.name));
    graph.rename(output.value, output.name);
  }
}

}  // namespace

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
