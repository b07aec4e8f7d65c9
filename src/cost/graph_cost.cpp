#include "cost/graph_cost.h"

#include <algorithm>

#include "graph/order.h"

namespace braid {

std::vector<double> node_times_us(const Graph& graph, const CostModel& costs) {
  std::vector<double> times(graph.node_limit(), 0);
  for (NodeId id : graph.node_ids()) times[id.at()] = costs.cost(graph, id).time_us;
  return times;
}

double sum_us(const Graph& graph, const CostModel& costs) {
  double sum = 0;
  for (double time : node_times_us(graph, costs)) sum += time;
  return sum;
}

CriticalPath critical_path(const Graph& graph, const CostModel& costs) {
  const std::vector<double> times = node_times_us(graph, costs);
  std::vector<double> end(graph.node_limit(), 0);
  std::vector<NodeId> before(graph.node_limit());
  NodeId last;
  for (NodeId id : topological_order(graph)) {
    double begin = 0;
    for (ValueId input : graph.node(id).inputs) {
      const NodeId producer = input.valid() ? graph.value(input).producer : NodeId();
      if (!producer.valid()) continue;
      NodeId& best = before[id.at()];
      const double ready = end[producer.at()];
      if (!best.valid() || ready > begin || (ready == begin && producer < best)) best = producer;
      begin = std::max(begin, ready);
    }
    end[id.at()] = begin + times[id.at()];
    const bool later = !last.valid() || end[id.at()] > end[last.at()];
    if (later || (end[id.at()] == end[last.at()] && id < last)) last = id;
  }
  CriticalPath path;
  if (last.valid()) path.time_us = end[last.at()];
  for (NodeId id = last; id.valid(); id = before[id.at()]) path.nodes.push_back(id);
  std::reverse(path.nodes.begin(), path.nodes.end());
  return path;
}

}  // namespace braid
