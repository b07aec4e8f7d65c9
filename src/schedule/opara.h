#pragma once

#include <cstdint>
#include <vector>

#include "schedule/demand.h"
#include "schedule/task_graph.h"

namespace braid {

/// Opara's launch order: of the tasks that are ready, the one of least demand, from those bound by
/// arithmetic and those bound by memory in turn. With `published`, the turn changes with every step
/// even if only one kind is ready, and tasks without kernels come last.
std::vector<Task> opara_order(const TaskGraph& tasks, const std::vector<Demand>& demands,
                              bool published, const std::vector<bool>& has_kernel);

/// Opara's streams: in the given order a task takes over the stream of its first input whose stream
/// no other task has taken over yet, or gets one of its own. The rows are streams.
std::vector<std::vector<Task>> opara_streams(const TaskGraph& tasks,
                                             const std::vector<Task>& order);

}  // namespace braid
