#include "device/cpu/fuse_concat_norm.h"

#include <algorithm>

#include "graph/edit.h"
#include "ops/epilogue.h"

namespace braid::cpu {
namespace {

/// The Concat along channels whose only reader is that normalisation; invalid if there is none.
NodeId concat_before(const Graph& graph, const Node& norm) {
  const Value& joined = graph.value(norm.inputs[0]);
  if (!joined.producer.valid() || joined.consumers.size() != 1 || graph.is_output(norm.inputs[0]))
    return {};
  const Node& concat = graph.node(joined.producer);
  const auto rank = static_cast<std::int64_t>(joined.type.dims.size());
  const std::int64_t axis = concat.attributes.integer("axis", 0);
  const bool is_along_channels = rank >= 3 && (axis == 1 || axis == 1 - rank);
  return concat.op == "Concat" && is_along_channels && concat.inputs.size() > 1 ? joined.producer
                                                                                : NodeId{};
}

bool has_kernel(const Graph& graph, const Node& norm) {
  const Activation activation = read_epilogue(norm.attributes).activation;
  const bool all_f32 = std::ranges::all_of(norm.inputs, [&](ValueId id) {
    return id.valid() && graph.value(id).type.element == ElementType::F32;
  });
  return all_f32 && norm.outputs.size() == 1 &&
         (activation == Activation::None || activation == Activation::Relu);
}

}  // namespace

Graph fuse_concat_norm(Graph graph) {
  for (const NodeId id : graph.nodes_in_order()) {
    const Node& norm = graph.node(id);
    if (norm.op != "BatchNormalization" || !has_kernel(graph, norm)) continue;
    const NodeId concat = concat_before(graph, norm);
    if (!concat.valid()) continue;
    Node fused;
    fused.op = "ConcatNormalization";
    fused.name = norm.name;
    fused.attributes = norm.attributes;
    fused.inputs.assign(norm.inputs.begin() + 1, norm.inputs.end());
    const std::vector<ValueId>& joined = graph.node(concat).inputs;
    fused.inputs.insert(fused.inputs.end(), joined.begin(), joined.end());
    GraphEdit edit("fuse-concat-norm");
    edit.replace(norm.outputs[0],
                 edit.add_node(std::move(fused), {graph.value(norm.outputs[0]).type})[0]);
    graph.apply(edit);
  }
  return graph;
}

}  // namespace braid::cpu
