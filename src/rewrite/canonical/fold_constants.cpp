#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "graph/query.h"
#include "ops/call.h"
#include "ops/catalog.h"
#include "ops/shared/elements.h"
#include "rewrite/canonical/rules.h"

namespace braid {
namespace {

/// No single folding adds more than this to what it reads: a model may ask for a mask of a
/// megabyte, not for a constant of a gigabyte made out of one number.
constexpr std::int64_t kLargestGrowth = std::int64_t{16} << 20;

bool foldable(const Graph& graph, const Node& node) {
  const OpDef* def = find_op(node.op);
  if (def == nullptr || def->evaluate == nullptr) return false;
  if (def->reads_types) return true;
  return std::all_of(node.inputs.begin(), node.inputs.end(),
                     [&](ValueId input) { return !input.valid() || graph.is_constant(input); });
}

bool affordable(const Graph& graph, NodeId id, Allowance& allowance) {
  const Node& node = graph.node(id);
  std::int64_t read = 0;
  std::int64_t written = 0;
  if (!op_def(node.op).reads_types)
    for (ValueId input : node.inputs)
      if (input.valid()) read += byte_size(graph.value(input).type);
  for (ValueId output : node.outputs)
    if (output.valid()) written = std::max(written, byte_size(graph.value(output).type));
  if (written - read > kLargestGrowth) return false;
  written *= static_cast<std::int64_t>(node.outputs.size());
  const double work = op_def(node.op).reads_types ? 0 : braid::work(graph, id).flops;
  return allowance.spend(written, work + static_cast<double>(read) + static_cast<double>(written));
}

/// A kernel may read such a matrix as it was: nobody turns it then.
bool turns_large_matrix(const Graph& graph, const Node& node) {
  constexpr std::int64_t large = std::int64_t{64} << 10;
  if (node.op != "Transpose") return false;
  const TensorType& type = graph.value(node.inputs[0]).type;
  return type.dims.size() == 2 && std::min(type.dims[0], type.dims[1]) > 1 &&
         byte_size(type) >= large && permutation_of(graph, node) == std::vector<std::size_t>{1, 0};
}

std::vector<Tensor> results_of(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (only_renames_dims(node))
    return {graph.value(node.inputs[0]).constant.reshaped(graph.value(node.outputs[0]).type.dims)};
  std::vector<Tensor> inputs;
  for (ValueId input : node.inputs) {
    if (!input.valid())
      inputs.emplace_back();
    else if (op_def(node.op).reads_types)
      inputs.push_back(Tensor::borrow(graph.value(input).type, nullptr, nullptr));
    else
      inputs.push_back(graph.value(input).constant);
  }
  if (turns_large_matrix(graph, node))
    return {Tensor::turned(inputs[0], [node, inputs] { return evaluate(node, inputs)[0]; })};
  return with_note([&] { return "while folding " + describe(graph, id); },
                   [&] { return evaluate(node, inputs); });
}

std::vector<Match> find_constant_node(const Site& site) {
  if (!foldable(site.graph, site.node())) return {};
  return {{.anchor = site.anchor}};
}

bool fold_node(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const Node& node = graph.node(match.anchor);
  if (!only_renames_dims(node) && !affordable(graph, match.anchor, allowance)) return false;
  const std::vector<Tensor> results = results_of(graph, match.anchor);
  for (std::size_t i = 0; i < node.outputs.size(); ++i)
    if (node.outputs[i].valid())
      edit.replace(node.outputs[i],
                   edit.add_constant(graph.value(node.outputs[i]).name, results.at(i)));
  return true;
}

}  // namespace

Rule fold_constants() {
  return {"fold-constants",
          "compute what does not depend on the inputs",
          {},
          find_constant_node,
          fold_node};
}

}  // namespace braid
