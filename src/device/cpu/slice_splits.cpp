#include "device/cpu/slice_splits.h"

#include "graph/edit.h"
#include "ops/axes.h"

namespace braid::cpu {
namespace {

ValueId number(GraphEdit& edit, const std::string& name, std::int64_t x) {
  return edit.add_constant(name, Tensor::of<std::int64_t>({1}, {x}));
}

GraphEdit sliced(const Graph& graph, const Node& split) {
  GraphEdit edit("slice-splits");
  const auto rank = static_cast<std::int64_t>(graph.value(split.inputs[0]).type.dims.size());
  const std::int64_t axis = normal_axis("Split", split.attributes.integer("axis", 0), rank);
  const ValueId axes = number(edit, "axis", axis);
  std::int64_t begin = 0;
  for (const ValueId output : split.outputs) {
    const TensorType& type = graph.value(output).type;
    const std::int64_t end = begin + type.dims[static_cast<std::size_t>(axis)];
    Node slice;
    slice.op = "Slice";
    slice.name = split.name;
    slice.inputs = {split.inputs[0], number(edit, "begin", begin), number(edit, "end", end), axes};
    edit.replace(output, edit.add_node(std::move(slice), {type})[0]);
    begin = end;
  }
  return edit;
}

}  // namespace

Graph slice_splits(Graph graph) {
  for (const NodeId id : graph.nodes_in_order()) {
    const Node& node = graph.node(id);
    bool all = node.op == "Split";
    for (const ValueId output : node.outputs) all = all && output.valid();
    if (all) graph.apply(sliced(graph, node));
  }
  return graph;
}

}  // namespace braid::cpu
