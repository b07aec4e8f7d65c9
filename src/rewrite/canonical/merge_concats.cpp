#include <algorithm>

#include "graph/query.h"
#include "rewrite/canonical/rules.h"

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

// Only the outermost concat of a tree gathers, so that a long chain is walked once.
std::vector<Match> find_nested_concats(const Site& site) {
  const Graph& graph = site.graph;
  const auto axis = concat_axis(graph, site.node());
  if (!axis || dissolves_in_its_user(graph, site.anchor, *axis)) return {};
  const auto& inputs = site.node().inputs;
  const bool nested = std::any_of(inputs.begin(), inputs.end(), [&](ValueId value) {
    return inner_concat(graph, value, *axis).valid();
  });
  if (!nested) return {};
  return {{.anchor = site.anchor}};
}

bool concat_once(const Graph& graph, const Match& match, Allowance&, GraphEdit& edit) {
  Node flat = graph.node(match.anchor);
  const ValueId joined = flat.outputs[0];
  flat.inputs = leaves_of(graph, match.anchor, *concat_axis(graph, flat));
  flat.outputs.clear();
  edit.replace(joined, edit.add_node(std::move(flat), {graph.value(joined).type})[0]);
  return true;
}

}  // namespace

Rule merge_concats() {
  return {"merge-concats",
          "a concat of concats becomes one",
          {"Concat"},
          find_nested_concats,
          concat_once};
}

}  // namespace braid
