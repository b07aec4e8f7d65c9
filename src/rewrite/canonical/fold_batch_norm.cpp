#include <algorithm>
#include <cmath>

#include "rewrite/canonical/host.h"
#include "rewrite/canonical/linear.h"
#include "rewrite/canonical/steps.h"

namespace braid {
namespace {

/// What the normalisation does to each channel; nothing if its statistics are not constants of the
/// model, or not numbers that can be folded.
std::optional<Affine> affine_of(const Graph& graph, const Node& norm) {
  for (std::size_t i = 1; i < norm.outputs.size(); ++i)
    if (norm.outputs[i].valid()) return std::nullopt;
  if (norm.attributes.integer("training_mode", 0) != 0) return std::nullopt;
  std::vector<double> parameters[4];
  for (std::size_t i = 0; i < 4; ++i) {
    const Tensor* constant = constant_input(graph, norm, i + 1);
    if (constant == nullptr) return std::nullopt;
    parameters[i] = doubles(*constant);
  }
  const auto& [gamma, beta, mean, variance] = parameters;
  const double epsilon = norm.attributes.real("epsilon", 1e-5F);
  Affine affine;
  for (std::size_t c = 0; c < gamma.size(); ++c) {
    affine.scale.push_back(gamma[c] / std::sqrt(variance[c] + epsilon));
    affine.shift.push_back(beta[c] - mean[c] * affine.scale[c]);
    if (!std::isfinite(affine.scale[c]) || !std::isfinite(affine.shift[c])) return std::nullopt;
  }
  return affine;
}

/// Folds a normalisation into the operator that makes its input.
std::optional<GraphEdit> fold_into_one(const Graph& graph, const Node& norm, const Affine& affine,
                                       Allowance& allowance) {
  const auto linear = linear_producer(graph, norm.inputs[0]);
  if (!linear) return std::nullopt;
  GraphEdit edit("fold-batch-norm");
  const auto folded =
      add_folded(edit, graph, *linear, affine, graph.node(linear->id).name, allowance);
  if (!folded) return std::nullopt;
  edit.replace(norm.outputs[0], *folded);
  return edit;
}

/// Folds a normalisation of a concat along the channels into the operators that make its parts.
std::optional<GraphEdit> fold_into_parts(const Graph& graph, const Node& norm, const Affine& affine,
                                         Allowance& allowance) {
  const NodeId concat_id = made_by(graph, norm.inputs[0], "Concat");
  if (!concat_id.valid() || !has_single_use(graph, norm.inputs[0])) return std::nullopt;
  Node concat = graph.node(concat_id);
  const TensorType& type = graph.value(norm.inputs[0]).type;
  if (front_axis(concat.attributes.integer("axis", 0), type.dims.size()) != 1U) return std::nullopt;
  std::vector<Linear> parts;
  for (ValueId input : concat.inputs) {
    auto linear = linear_producer(graph, input);
    if (!linear) return std::nullopt;
    parts.push_back(std::move(*linear));
  }
  GraphEdit edit("fold-batch-norm");
  std::size_t from = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t channels = parts[i].bias.size();
    const auto folded = add_folded(edit, graph, parts[i], affine.slice(from, channels),
                                   graph.value(concat.inputs[i]).name + "/folded", allowance);
    if (!folded) return std::nullopt;
    concat.inputs[i] = *folded;
    from += channels;
  }
  concat.outputs.clear();
  edit.replace(norm.outputs[0], edit.add_node(std::move(concat), {type})[0]);
  return edit;
}

}  // namespace

std::int64_t fold_batch_norm(Graph& graph, Allowance& allowance) {
  std::int64_t changes = 0;
  for (NodeId id : graph.nodes_in_order()) {
    if (!graph.alive(id) || graph.node(id).op != "BatchNormalization" ||
        has_activation(graph.node(id)))
      continue;
    const Node& norm = graph.node(id);
    const auto affine = affine_of(graph, norm);
    if (!affine) continue;
    auto edit = fold_into_one(graph, norm, *affine, allowance);
    if (!edit) edit = fold_into_parts(graph, norm, *affine, allowance);
    if (!edit) continue;
    graph.apply(*edit);
    ++changes;
  }
  return changes;
}

}  // namespace braid
