#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "cost/cost_model.h"
#include "schedule/task_graph.h"

namespace braid {

/// An operator of a path, and the time that it takes there.
struct PathRow {
  NodeId node;
  double time_us = 0;
};

/// What no Plan of a graph can beat on a device, as far as the device's model is right: a Judge's
/// predictions are never shorter. What passes before the first step begins is left out.
struct Bounds {
  double critical_path_us = 0;  ///< the longest row of operators of which each needs the one before
  double work_us = 0;           ///< all arithmetic, spread evenly over the device
  double bandwidth_us = 0;      ///< all bytes to and from memory at full bandwidth
  std::vector<PathRow> critical_path = {};  ///< in order, without views

  double time_us() const { return std::max({critical_path_us, work_us, bandwidth_us}); }
};

/// The longest row of tasks that take these times; after one that takes any, `between_us` pass
/// until the next begins, and are counted as the next one's.
std::vector<PathRow> longest_path(const TaskGraph& tasks, std::span<const double> times_us,
                                  double between_us = 0);
double path_us(std::span<const PathRow> path);

/// Bounds on lanes: a task counts in as many parts as make it shortest, or cheapest.
Bounds lane_bounds(const Graph& lowered, const CostModel& costs, const DeviceSpec& device);

}  // namespace braid
