#include <algorithm>

#include "graph/query.h"
#include "ops/shared/elements.h"
#include "rewrite/canonical/rules.h"

namespace braid {
namespace {

bool keeps_order_of_elements(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (only_renames_dims(node)) return true;
  return node.op == "Transpose" &&
         moves_only_unit_axes(graph.value(node.inputs[0]).type.dims, permutation_of(graph, node));
}

/// The input of the reshape before this one if there is one, else this one's own input.
ValueId source_of(const Graph& graph, NodeId id) {
  const ValueId input = graph.node(id).inputs[0];
  const NodeId producer = graph.value(input).producer;
  return producer.valid() && keeps_order_of_elements(graph, producer)
             ? graph.node(producer).inputs[0]
             : input;
}

std::vector<Match> find_row_of_reshapes(const Site& site) {
  if (!keeps_order_of_elements(site.graph, site.anchor)) return {};
  const ValueId source = source_of(site.graph, site.anchor);
  if (source == site.node().inputs[0] && site.node().op != "Transpose") return {};
  return {{.anchor = site.anchor, .values = {source}}};
}

bool reshape_from_source(const Graph& graph, const Match& match, Allowance&, GraphEdit& edit) {
  const Node& node = graph.node(match.anchor);
  const ValueId source = match.values[0];
  const TensorType& type = graph.value(node.outputs[0]).type;
  if (graph.value(source).type == type) {
    edit.replace(node.outputs[0], source);
    return true;
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
  return true;
}

}  // namespace

// Passes go from the front, so that the input of each reshape has been collapsed before it.
Rule collapse_reshapes() {
  return {"collapse-reshapes",
          "a row of reshapes becomes one",
          {},
          find_row_of_reshapes,
          reshape_from_source};
}

}  // namespace braid
