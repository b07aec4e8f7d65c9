#include "schedule/part_costs.h"

#include <algorithm>

#include "plan/plan.h"

namespace braid {
namespace {

constexpr int kMostCounts = 4;  // up to here every number of parts is tried

bool cuts_all_outputs(const Graph& graph, const Node& node, const Cut& cut) {
  const auto axis = static_cast<std::size_t>(cut.axis);
  if (cut.axis < 0 || cut.grain <= 0 || node.outputs.empty() || !node.outputs[0].valid())
    return false;
  const Dims& first = graph.value(node.outputs[0]).type.dims;
  return axis < first.size() && std::all_of(
                                    node.outputs.begin(), node.outputs.end(),
                                    [&](auto v) {
                                      if (!v.valid()) return true;
                                      const Dims& dims = graph.value(v).type.dims;
                                      return axis < dims.size() && dims[axis] == first[axis];
                                    });
}

}  // namespace

std::optional<Cut> cut_into(const Graph& graph, NodeId id, int parts) {
  const Node& node = graph.node(id);
  for (const Cut& cut : node.lowering.cuts)
    if (cuts_all_outputs(graph, node, cut) &&
        most_parts(graph.value(node.outputs[0]).type, cut) >= parts)
      return cut;
  return std::nullopt;
}

PartCosts::PartCosts(const Graph& graph, const CostModel& costs, const TaskGraph& tasks, int most) {
  options_.resize(tasks.size());
  for (std::size_t task = 0; task < tasks.size(); ++task) {
    const NodeId node = tasks.nodes[task];
    auto& options = options_[task];
    options.push_back({1, costs.cost(graph, node)});
    for (int parts = 2; parts <= most;) {
      if (!cut_into(graph, node, parts)) break;
      const Cost each = costs.cost(graph, node, parts);
      if (each.time_us < options.back().each.time_us) options.push_back({parts, each});
      if (parts == most) break;
      parts = std::min(most, parts < kMostCounts ? parts + 1 : 2 * parts);
    }
  }
}

const PartCosts::Option& PartCosts::in_parts(Task task, int parts) const {
  const auto& all = options(task);
  auto best = all.begin();
  for (auto at = all.begin(); at != all.end() && at->parts <= parts; ++at) best = at;
  return *best;
}

}  // namespace braid
