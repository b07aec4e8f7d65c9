#pragma once

#include <functional>
#include <vector>

#include "plan/plan.h"
#include "schedule/arrangement.h"
#include "schedule/local_search.h"
#include "schedule/task_graph.h"

namespace braid {

/// A way to launch whole tasks on a device that is judged from outside.
struct Launching {
  std::vector<int> stream;    ///< by task
  std::vector<double> rank;   ///< by task: of those that are ready the greatest is launched first
  std::vector<int> priority;  ///< by task: Step::priority
  std::vector<int> way;       ///< by task: Step::way
};

/// The rows' tasks on streams, those beyond `limit` folded (arrange), launched by rank, all of one
/// priority.
Launching launching_of(const TaskGraph& tasks, const std::vector<double>& times_us,
                       const std::vector<std::vector<Task>>& rows, const std::vector<double>& rank,
                       int limit);
/// The launching of a Plan that has the same tasks, uncut.
Launching launching_of(const TaskGraph& tasks, const Plan& plan);

Arrangement arrangement_of(const TaskGraph& tasks, const Launching& launching);

/// What an arrangement takes; it may give up as Evaluate may.
using LaunchJudge = std::function<double(const Arrangement&, double give_up_us)>;

/// What there is to choose from.
struct LaunchRange {
  int streams = 1;
  int priorities = 1;
  std::vector<int> ways = {};  ///< by task; empty: there are none
};

struct FoundLaunching {
  Launching launching;
  double time_us = 0;
  SearchReport search = {};
};

/// Tries small changes: of the rank, priority, way or stream of one task, of a row of tasks
/// that can only follow one another, or of all tasks that look alike at once. A change is kept if
/// it is not much slower, less and less so (annealing); the best is given back. Depends on nothing
/// but its arguments, unless time runs out.
FoundLaunching improve_launching(Launching start, const TaskGraph& tasks, const PartCosts& costs,
                                 const LaunchRange& range, const LaunchJudge& judge,
                                 const SearchLimits& limits);

}  // namespace braid
