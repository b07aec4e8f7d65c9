#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "graph/edit.h"
#include "ops/call.h"
#include "ops/catalog.h"
#include "rewrite/canonical/query.h"
#include "rewrite/canonical/steps.h"

namespace braid {
namespace {

/// No single folding adds more than this to what it reads: a model may ask for a mask of a
/// megabyte, not for a constant of a gigabyte made out of one number.
constexpr std::int64_t kLargestGrowth = std::int64_t{16} << 20;

bool needs_only_types(const Node& node) { return node.op == "Shape" || node.op == "Size"; }

bool foldable(const Graph& graph, const Node& node) {
  const OpDef* def = find_op(node.op);
  if (def == nullptr || def->evaluate == nullptr) return false;
  if (needs_only_types(node)) return true;
  return std::all_of(node.inputs.begin(), node.inputs.end(),
                     [&](ValueId input) { return !input.valid() || graph.is_constant(input); });
}

bool affordable(const Graph& graph, NodeId id, Allowance& allowance) {
  const Node& node = graph.node(id);
  std::int64_t read = 0;
  std::int64_t written = 0;
  if (!needs_only_types(node))
    for (ValueId input : node.inputs)
      if (input.valid())
        read += static_cast<std::int64_t>(graph.value(input).constant.bytes().size());
  for (ValueId output : node.outputs)
    if (output.valid()) written = std::max(written, byte_size(graph.value(output).type));
  if (written - read > kLargestGrowth) return false;
  written *= static_cast<std::int64_t>(node.outputs.size());
  const double work = needs_only_types(node) ? 0 : braid::work(graph, id).flops;
  return allowance.spend(written, work + static_cast<double>(read) + static_cast<double>(written));
}

std::vector<Tensor> results_of(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (only_renames_dims(node))
    return {graph.value(node.inputs[0]).constant.reshaped(graph.value(node.outputs[0]).type.dims)};
  std::vector<Tensor> inputs;
  for (ValueId input : node.inputs) {
    if (!input.valid())
      inputs.emplace_back();
    else if (needs_only_types(node))
      inputs.push_back(Tensor::borrow(graph.value(input).type, nullptr, nullptr));
    else
      inputs.push_back(graph.value(input).constant);
  }
  return with_note([&] { return "while folding " + describe(graph, id); },
                   [&] { return evaluate(node, inputs); });
}

}  // namespace

std::int64_t fold_constants(Graph& graph, Allowance& allowance) {
  std::int64_t changes = 0;
  for (NodeId id : graph.nodes_in_order()) {
    const Node& node = graph.node(id);
    if (!graph.alive(id) || !foldable(graph, node)) continue;
    if (!only_renames_dims(node) && !affordable(graph, id, allowance)) continue;
    const std::vector<Tensor> results = results_of(graph, id);
    GraphEdit edit("fold-constants");
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
      if (node.outputs[i].valid())
        edit.replace(node.outputs[i],
                     edit.add_constant(graph.value(node.outputs[i]).name, results.at(i)));
    graph.apply(edit);
    ++changes;
  }
  return changes;
}

}  // namespace braid
