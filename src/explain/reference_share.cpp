#include "explain/reference_share.h"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <braid/tensor.h>

#include "plan/reference.h"

namespace braid {
namespace {

/// The operator with the type of its first input, or of what it makes.
std::string typed_operator(const Graph& graph, const Node& node) {
  const bool reads = !node.inputs.empty() && node.inputs[0].valid();
  const ValueId typed =
      reads || node.outputs.empty() ? (reads ? node.inputs[0] : ValueId()) : node.outputs[0];
  if (!typed.valid()) return node.op;
  return fmt::format("{} ({})", node.op, name(graph.value(typed).type.element));
}

}  // namespace

std::string ReferenceShare::counts() const {
  std::vector<std::string> texts;
  for (const auto& [op, count] : uses) texts.push_back(fmt::format("{} {}", count, op));
  return fmt::format("{}", fmt::join(texts, ", "));
}

ReferenceShare reference_share(const Graph& lowered, const CostModel& costs) {
  ReferenceShare result;
  double all_us = 0;
  double reference_us = 0;
  for (const NodeId id : lowered.node_ids()) {
    const double time_us = costs.cost(lowered, id).time_us;
    all_us += time_us;
    const Node& node = lowered.node(id);
    if (node.lowering.implementation != kReferenceImplementation) continue;
    reference_us += time_us;
    ++result.uses[typed_operator(lowered, node)];
  }
  if (all_us > 0) result.share = reference_us / all_us;
  return result;
}

}  // namespace braid
