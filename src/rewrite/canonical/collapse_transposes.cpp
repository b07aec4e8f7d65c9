#include "graph/query.h"
#include "ops/shared/elements.h"
#include "rewrite/canonical/rules.h"

namespace braid {
namespace {

std::vector<Match> find_transposed_twice(const Site& site) {
  const NodeId inner = made_by(site.graph, site.node().inputs[0], "Transpose");
  if (!inner.valid()) return {};
  return {{.anchor = site.anchor, .nodes = {inner}}};
}

bool transpose_once(const Graph& graph, const Match& match, Allowance&, GraphEdit& edit) {
  const Node& outer = graph.node(match.anchor);
  const Node& inner = graph.node(match.nodes[0]);
  const ValueId source = inner.inputs[0];
  const std::vector<std::size_t> first = permutation_of(graph, inner);
  std::vector<std::size_t> both;
  for (std::size_t axis : permutation_of(graph, outer)) both.push_back(first[axis]);

  const TensorType& type = graph.value(outer.outputs[0]).type;
  if (graph.value(source).type == type &&
      moves_only_unit_axes(graph.value(source).type.dims, both)) {
    edit.replace(outer.outputs[0], source);
    return true;
  }
  Node joined;
  joined.op = "Transpose";
  joined.name = outer.name;
  joined.inputs = {source};
  joined.attributes.set("perm", std::vector<std::int64_t>(both.begin(), both.end()));
  edit.replace(outer.outputs[0], edit.add_node(std::move(joined), {type})[0]);
  return true;
}

}  // namespace

// Passes go from the front, so that the input of each transpose has been collapsed before it.
Rule collapse_transposes() {
  return {"collapse-transposes",
          "a row of transposes becomes one, or none",
          {"Transpose"},
          find_transposed_twice,
          transpose_once};
}

}  // namespace braid
