#include "report/summary.h"

#include "graph/order.h"
#include "graph/width.h"
#include "ops/call.h"
#include "ops/shared/parameters.h"

namespace braid {

GraphSummary summarise(const Graph& graph) {
  GraphSummary summary;
  summary.name = graph.name;
  summary.opset = graph.opset;
  for (ValueId id : graph.inputs())
    summary.inputs.push_back({graph.value(id).name, graph.value(id).type});
  for (const GraphOutput& output : graph.outputs())
    summary.outputs.push_back({output.name, graph.value(output.value).type});
  summary.parameters = parameter_count(graph);
  for (ValueId id : graph.value_ids())
    if (graph.is_constant(id)) summary.weight_bytes += byte_size(graph.value(id).type);
  for (NodeId id : graph.node_ids()) {
    const Node& node = graph.node(id);
    const Work node_work = work(graph, id);
    summary.macs += node_work.macs;
    summary.flops += node_work.flops;
    summary.nodes += 1;
    summary.operators += counts_as_operator(node) ? 1 : 0;
    summary.operator_counts[node.op] += 1;
  }
  summary.depth = depth(graph, counts_as_operator);
  summary.width = width(graph, counts_as_operator);
  return summary;
}

}  // namespace braid
