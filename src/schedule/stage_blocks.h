#pragma once

#include <functional>
#include <vector>

#include "base/progress.h"
#include "cost/cost_model.h"
#include "schedule/task_graph.h"

namespace braid {

/// The tasks of a stage, by stream.
using TaskStage = std::vector<std::vector<Task>>;

struct StageOptions {
  int streams = 1;
  double barrier_us = 0;
  Progress progress = {};  ///< told after each block
  bool published = false;  ///< as in IOS's code: tasks one by one, groups with one first task
  int group_units = 3;     ///< r: units of a group at most
  int groups = 8;          ///< s: groups of a stage at most
  /// The time of a stage as a device or its model has it; empty: by the costs of its tasks.
  std::function<double(const TaskStage&)> measure = {};
};

/// The stages of a whole graph in order: it is cut into blocks, and each block's stages are found
/// by dynamic programming (schedule/stages.h). Equal blocks are solved once; a block of which that
/// would take long is halved. `costs` are those of the tasks.
std::vector<TaskStage> stages_of(const TaskGraph& tasks, const std::vector<Cost>& costs,
                                 const StageOptions& options);

}  // namespace braid
