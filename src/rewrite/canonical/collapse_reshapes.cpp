#include <algorithm>

#include "graph/edit.h"
#include "rewrite/canonical/query.h"
#include "rewrite/canonical/steps.h"

namespace braid {
namespace {

bool is_reshape(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (only_renames_dims(node)) return true;
  return node.op == "Transpose" &&
         moves_only_unit_axes(graph.value(node.inputs[0]).type.dims, permutation_of(graph, node));
}

/// The value under the reshape, and nothing new to learn there if it is the reshape's own input.
ValueId source_of(const Graph& graph, NodeId id) {
  const ValueId input = graph.node(id).inputs[0];
  const NodeId producer = graph.value(input).producer;
  return producer.valid() && is_reshape(graph, producer) ? graph.node(producer).inputs[0] : input;
}

GraphEdit reshape_from(const Graph& graph, NodeId id, ValueId source) {
  const Node& node = graph.node(id);
  const TensorType& type = graph.value(node.outputs[0]).type;
  GraphEdit edit("collapse-reshapes");
  if (graph.value(source).type == type) {
    edit.replace(node.outputs[0], source);
    return edit;
  }
  Node reshape;
  reshape.op = "Reshape";
  reshape.name = node.name;
  const Dims& dims = type.dims;
  // A zero in the shape would mean "as in the input".
  if (std::count(dims.begin(), dims.end(), 0) > 0) reshape.attributes.set("allowzero", 1);
  const ValueId shape = edit.add_constant(
      graph.value(node.outputs[0]).name + "/shape",
      Tensor::of<std::int64_t>({static_cast<std::int64_t>(dims.size())}, std::span(dims)));
  reshape.inputs = {source, shape};
  edit.replace(node.outputs[0], edit.add_node(std::move(reshape), {type})[0]);
  return edit;
}

}  // namespace

// From the front, so that the input of each reshape has been collapsed before it.
std::int64_t collapse_reshapes(Graph& graph, Allowance&) {
  std::int64_t changes = 0;
  for (NodeId id : graph.nodes_in_order()) {
    if (!graph.alive(id) || !is_reshape(graph, id)) continue;
    const ValueId source = source_of(graph, id);
    if (source == graph.node(id).inputs[0] && graph.node(id).op != "Transpose") continue;
    graph.apply(reshape_from(graph, id, source));
    ++changes;
  }
  return changes;
}

}  // namespace braid
