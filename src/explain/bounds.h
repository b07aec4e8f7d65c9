#pragma once

#include <vector>

#include "explain/subject.h"

namespace braid {

/// What no Plan of the graph can beat, as far as the costs are right. Operators count as cut if
/// that makes them faster and the device may cut them.
struct PlanBounds {
  double critical_path_us = 0;  ///< the longest row of operators of which each needs the one before
  double work_us = 0;           ///< all work, spread evenly over the device
  double bandwidth_us = 0;      ///< all bytes to and from memory at full bandwidth
};

/// An operator of a path, and the time that it takes there.
struct PathRow {
  NodeId node;
  double time_us = 0;
};

struct BoundsAndPath {
  PlanBounds bounds;
  std::vector<PathRow> critical_path;  ///< in order, without views
};

/// On a GPU the work of an operator is its time by the share of the device's room for blocks that
/// it fills, on lanes the time of one of them.
BoundsAndPath bounds_of(const Subject& subject);

}  // namespace braid
