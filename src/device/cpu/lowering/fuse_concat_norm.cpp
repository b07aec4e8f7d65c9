#include <algorithm>

#include "device/cpu/lowering/rules.h"
#include "ops/shared/epilogue.h"

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
  const Epilogue epilogue = read_epilogue(norm.attributes);
  const bool all_f32 = std::ranges::all_of(norm.inputs, [&](ValueId id) {
    return id.valid() && graph.value(id).type.element == ElementType::F32;
  });
  return all_f32 && norm.outputs.size() == 1 &&
         (epilogue.activation == nullptr || epilogue.is_relu());
}

std::vector<Match> find_norm_of_concat(const Site& site) {
  if (!has_kernel(site.graph, site.node())) return {};
  const NodeId concat = concat_before(site.graph, site.node());
  if (!concat.valid()) return {};
  return {{.anchor = site.anchor, .nodes = {concat}}};
}

bool join_and_normalise(const Graph& graph, const Match& match, Allowance&, GraphEdit& edit) {
  const Node& norm = graph.node(match.anchor);
  Node fused;
  fused.op = "ConcatNormalization";
  fused.name = norm.name;
  fused.attributes = norm.attributes;
  fused.inputs.assign(norm.inputs.begin() + 1, norm.inputs.end());
  const std::vector<ValueId>& joined = graph.node(match.nodes[0]).inputs;
  fused.inputs.insert(fused.inputs.end(), joined.begin(), joined.end());
  edit.replace(norm.outputs[0],
               edit.add_node(std::move(fused), {graph.value(norm.outputs[0]).type})[0]);
  return true;
}

}  // namespace

Rule fuse_concat_norm() {
  return {"fuse-concat-norm",
          "a Concat and the BatchNormalization after it become one",
          {"BatchNormalization"},
          find_norm_of_concat,
          join_and_normalise};
}

}  // namespace braid::cpu
