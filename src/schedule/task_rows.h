#pragma once

#include <functional>
#include <vector>

#include "schedule/matching.h"
#include "schedule/task_graph.h"

namespace braid {

/// Tasks in rows, each task right after the one before it in the reduced graph (Nimble).
struct TaskRows {
  std::vector<std::vector<Task>> rows;
  /// Rows one behind another on one stream where the first must end before the second begins
  /// anyway: as few streams as rows can share so.
  std::vector<std::vector<std::size_t>> streams;
  std::size_t syncs = 0;  ///< reduced edges between rows: |E'| - |M|
};

/// The weight of a pair of tasks that may stand in one row; greater is better.
using EdgeWeight = std::function<double(Task, Task)>;

/// Of all ways to cut a task graph into rows such that no two tasks of a row could run side by
/// side, one with the fewest synchronisations; if `weight` is given, the heaviest such (on graphs
/// that are not too large).
TaskRows task_rows(const TaskGraph& tasks, const EdgeWeight& weight = {});

/// The tasks of the streams, in order.
std::vector<std::vector<Task>> stream_rows(const TaskRows& found);

}  // namespace braid
