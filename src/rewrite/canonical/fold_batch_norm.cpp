#include <algorithm>

#include "rewrite/canonical/host.h"
#include "rewrite/canonical/linear.h"
#include "rewrite/canonical/rules.h"

namespace braid {
namespace {

/// The operators whose results a concat along the channels joins; none unless all are linear.
std::vector<NodeId> joined_linears(const Graph& graph, const Node& norm) {
  const NodeId concat = made_by(graph, norm.inputs[0], "Concat");
  if (!concat.valid() || !has_single_use(graph, norm.inputs[0])) return {};
  const std::size_t rank = graph.value(norm.inputs[0]).type.dims.size();
  if (front_axis(graph.node(concat).attributes.integer("axis", 0), rank) != 1U) return {};
  std::vector<NodeId> parts;
  for (ValueId input : graph.node(concat).inputs) {
    if (!linear_producer(graph, input)) return {};
    parts.push_back(graph.value(input).producer);
  }
  return parts;
}

/// The product of which a matrix was made whose columns are normalised; nothing unless the product
/// has the same columns.
///
///     [1,196,384] = MatMul → Reshape → [196,384] → BatchNormalization
std::optional<Linear> reshaped_linear(const Graph& graph, const Node& norm) {
  const Value& matrix = graph.value(norm.inputs[0]);
  const NodeId reshape = made_by(graph, norm.inputs[0], "Reshape");
  if (!reshape.valid() || matrix.type.dims.size() != 2 || !has_single_use(graph, norm.inputs[0]))
    return std::nullopt;
  const ValueId product = graph.node(reshape).inputs[0];
  const Dims& dims = graph.value(product).type.dims;
  if (dims.empty() || dims.back() != matrix.type.dims[1]) return std::nullopt;
  return linear_producer(graph, product, ChannelAxis::Last);
}

/// Finds the operator that makes the normalisation's input, or those that make its parts.
std::vector<Match> find_linear_before(const Site& site) {
  const Node& norm = site.node();
  if (has_activation(norm) || !affine_of_norm(site.graph, norm)) return {};
  if (linear_producer(site.graph, norm.inputs[0]))
    return {{.anchor = site.anchor, .nodes = {site.graph.value(norm.inputs[0]).producer}}};
  if (const auto linear = reshaped_linear(site.graph, norm))
    return {{.anchor = site.anchor, .nodes = {linear->id}}};
  std::vector<NodeId> parts = joined_linears(site.graph, norm);
  if (parts.empty()) return {};
  return {{.anchor = site.anchor, .nodes = std::move(parts)}};
}

bool fold_into_parts(const Graph& graph, const Node& norm, const Affine& affine,
                     Allowance& allowance, GraphEdit& edit) {
  Node concat = graph.node(graph.value(norm.inputs[0]).producer);
  std::size_t from = 0;
  for (ValueId& input : concat.inputs) {
    const auto part = linear_producer(graph, input);
    const std::size_t channels = part->bias.size();
    const auto folded = add_folded(edit, graph, *part, affine.slice(from, channels),
                                   graph.value(input).name + "/folded", allowance);
    if (!folded) return false;
    input = *folded;
    from += channels;
  }
  concat.outputs.clear();
  edit.replace(norm.outputs[0],
               edit.add_node(std::move(concat), {graph.value(norm.inputs[0]).type})[0]);
  return true;
}

bool fold_into_reshaped(const Graph& graph, const Node& norm, const Linear& linear,
                        const Affine& affine, Allowance& allowance, GraphEdit& edit) {
  const Value& matrix = graph.value(norm.inputs[0]);
  Node reshape = graph.node(matrix.producer);
  const auto folded = add_folded(edit, graph, linear, affine,
                                 graph.value(reshape.inputs[0]).name + "/folded", allowance);
  if (!folded) return false;
  reshape.inputs[0] = *folded;
  reshape.outputs.clear();
  edit.replace(norm.outputs[0], edit.add_node(std::move(reshape), {matrix.type})[0]);
  return true;
}

bool fold_norm(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const Node& norm = graph.node(match.anchor);
  const Affine affine = *affine_of_norm(graph, norm);
  const auto linear = linear_producer(graph, norm.inputs[0]);
  if (const auto reshaped = reshaped_linear(graph, norm); !linear && reshaped)
    return fold_into_reshaped(graph, norm, *reshaped, affine, allowance, edit);
  if (!linear) return fold_into_parts(graph, norm, affine, allowance, edit);
  const auto folded =
      add_folded(edit, graph, *linear, affine, graph.node(linear->id).name, allowance);
  if (!folded) return false;
  edit.replace(norm.outputs[0], *folded);
  return true;
}

}  // namespace

Rule fold_batch_norm() {
  return {"fold-batch-norm",
          "fold BatchNormalization into the weights before it",
          {"BatchNormalization"},
          find_linear_before,
          fold_norm};
}

}  // namespace braid
