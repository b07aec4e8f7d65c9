#pragma once

#include <vector>

#include "cost/cost_model.h"

namespace braid {

/// The time of every node by id, one after another and uncut; 0 for ids that are not in use.
std::vector<double> node_times_us(const Graph& graph, const CostModel& costs);

/// SUM: the time of the nodes one after another.
double sum_us(const Graph& graph, const CostModel& costs);

/// A longest row of nodes of which each needs the one before.
struct CriticalPath {
  double time_us = 0;
  std::vector<NodeId> nodes;
};
/// CP: the critical path. Among paths of equal length, the one whose nodes have the smallest ids,
/// looking from the end.
CriticalPath critical_path(const Graph& graph, const CostModel& costs);

}  // namespace braid
