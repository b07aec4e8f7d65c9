#pragma once

#include <string_view>
#include <vector>

#include "cost/cost_model.h"
#include "plan/plan.h"
#include "schedule/task_graph.h"

namespace braid {

/// What a scheduler decides: tasks, or parts of tasks, in order on streams. The rest of a Plan
/// follows from it.
struct Piece {
  Task task = 0;
  int part = 0;
  int parts = 1;
  int launch = 0;    ///< Step::launch
  int stage = 0;     ///< begins when all pieces of lesser stages have ended
  int priority = 0;  ///< Step::priority
  int way = 0;       ///< Step::way

  bool operator==(const Piece&) const = default;
};
using Arrangement = std::vector<std::vector<Piece>>;  ///< by stream

/// The Plan of an arrangement: steps wait for those that wrote their inputs, views stand behind
/// their writers, waits are reduced, values placed; streams without steps are left out.
Plan assemble(const Graph& graph, const DeviceSpec& device, std::string_view scheduler,
              const TaskGraph& tasks, const Arrangement& arrangement);
/// The same with nothing placed and without the graph's hash: enough for a judge of time.
Plan assemble_unplaced(const Graph& graph, const DeviceSpec& device, std::string_view scheduler,
                       const TaskGraph& tasks, const Arrangement& arrangement);

/// Streams of whole tasks, each a row of tasks in the order of `order`, which is topological.
struct Streams {
  std::vector<std::vector<Task>> rows;
  std::vector<Task> order;  ///< in which they are launched
  bool in_turn = false;     ///< the device's streams are given out one after another, over and over
};

/// The arrangement of streams on a device that has `limit` of them. If there are more, each goes,
/// when its first task is launched, to the one of the device's that is free first, unless
/// `in_turn`.
Arrangement arrange(const TaskGraph& tasks, const std::vector<double>& times_us,
                    const Streams& streams, int limit);

}  // namespace braid
