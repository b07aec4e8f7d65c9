#include "schedule/part_costs.h"

#include <algorithm>

namespace braid {
namespace {

constexpr int kMostCounts = 4;  // up to here every number of parts is tried

}  // namespace

std::vector<double> times_us(const Graph& graph, const CostModel& costs, const TaskGraph& tasks) {
  std::vector<double> times;
  for (NodeId node : tasks.nodes) times.push_back(costs.cost(graph, node).time_us);
  return times;
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
