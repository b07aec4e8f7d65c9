#pragma once

#include <vector>

#include "cost/cost_model.h"
#include "schedule/arrangement.h"
#include "schedule/part_costs.h"
#include "schedule/task_graph.h"

namespace braid {

/// The length in microseconds of the longest row of tasks that begins with each task.
/// `parts_at_once` is the number of parts in which a task counts (1: uncut).
std::vector<double> bottom_levels(const TaskGraph& tasks, const PartCosts& costs,
                                  int parts_at_once);

/// What a list scheduler is told about each task.
struct Guide {
  std::vector<double> priority;  ///< of the tasks that are ready, the greatest goes first
  std::vector<int> parts;        ///< 0: as many as seems best when its turn comes
};

/// Goes through time: whenever a lane is free, the ready task of greatest priority gets it, cut
/// over several lanes if too little other work is ready to fill them. Of tasks of equal priority,
/// one that is bound by memory follows one that is bound by arithmetic and the other way round, so
/// that unlike ones overlap (Opara's rule). Steps beside one another that want more than the
/// device's bandwidth are seen as slower.
Arrangement list_schedule(const TaskGraph& tasks, const PartCosts& costs, const DeviceSpec& device,
                          int lanes, const Guide& guide);

}  // namespace braid
