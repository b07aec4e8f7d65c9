#pragma once

#include "schedule/launch_search.h"

namespace braid {

/// Rows of tasks with the fewest synchronisations, and those away from the critical path.
std::vector<std::vector<Task>> heavy_rows(const TaskGraph& tasks, const PartCosts& costs,
                                          int streams);

/// Launchings to begin a search with: the heavy rows in the order of a priority, on all streams, on
/// half of them, and so on down to a few.
std::vector<Launching> launch_starts(const TaskGraph& tasks, const PartCosts& costs,
                                     const std::vector<double>& priority, int streams);

}  // namespace braid
