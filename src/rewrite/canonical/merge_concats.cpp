#include <algorithm>

#include "graph/edit.h"
#include "rewrite/canonical/query.h"
#include "rewrite/canonical/steps.h"

namespace braid {
namespace {

std::optional<std::size_t> concat_axis(const Graph& graph, const Node& concat) {
  return front_axis(concat.attributes.integer("axis", 0),
                    graph.value(concat.outputs[0]).type.dims.size());
}

/// The concat that makes `value` if it may dissolve in one along `axis` that reads it.
NodeId inner_concat(const Graph& graph, ValueId value, std::size_t axis) {
  const NodeId id = made_by(graph, value, "Concat");
  const bool fits =
      id.valid() && has_single_use(graph, value) && concat_axis(graph, graph.node(id)) == axis;
  return fits ? id : NodeId{};
}

/// The inputs of a concat with inner concats opened, however deep, in order.
std::vector<ValueId> leaves_of(const Graph& graph, NodeId root, std::size_t axis) {
  std::vector<ValueId> leaves;
  const auto& inputs = graph.node(root).inputs;
  std::vector<ValueId> open(inputs.rbegin(), inputs.rend());
  while (!open.empty()) {
    const ValueId value = open.back();
    open.pop_back();
    const NodeId inner = inner_concat(graph, value, axis);
    if (!inner.valid()) {
      leaves.push_back(value);
      continue;
    }
    const auto& more = graph.node(inner).inputs;
    open.insert(open.end(), more.rbegin(), more.rend());
  }
  return leaves;
}

bool dissolves_in_its_user(const Graph& graph, NodeId id, std::size_t axis) {
  const Value& value = graph.value(graph.node(id).outputs[0]);
  if (!has_single_use(graph, graph.node(id).outputs[0])) return false;
  const Node& user = graph.node(value.consumers[0]);
  return user.op == "Concat" && concat_axis(graph, user) == axis;
}

}  // namespace

// Only the outermost concat of a tree gathers, so that a long chain is walked once.
std::int64_t merge_concats(Graph& graph, Allowance&) {
  std::int64_t changes = 0;
  for (NodeId id : graph.nodes_in_order()) {
    if (!graph.alive(id) || graph.node(id).op != "Concat") continue;
    const Node& concat = graph.node(id);
    const auto axis = concat_axis(graph, concat);
    if (!axis || dissolves_in_its_user(graph, id, *axis)) continue;
    const bool nested = std::any_of(concat.inputs.begin(), concat.inputs.end(), [&](ValueId value) {
      return inner_concat(graph, value, *axis).valid();
    });
    if (!nested) continue;
    Node flat = concat;
    flat.inputs = leaves_of(graph, id, *axis);
    flat.outputs.clear();
    GraphEdit edit("merge-concats");
    edit.replace(concat.outputs[0],
                 edit.add_node(std::move(flat), {graph.value(concat.outputs[0]).type})[0]);
    graph.apply(edit);
    ++changes;
  }
  return changes;
}

}  // namespace braid
