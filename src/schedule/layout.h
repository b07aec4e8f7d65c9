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
  int launch = 0;  ///< Step::launch

  bool operator==(const Piece&) const = default;
};
using Layout = std::vector<std::vector<Piece>>;  ///< by stream

/// The Plan of a layout: steps wait for whoever wrote their inputs, views stand behind their
/// writers, waits are reduced, values placed; streams without steps are left out.
Plan assemble(const Graph& graph, const DeviceSpec& device, std::string_view scheduler,
              const TaskGraph& tasks, const Layout& layout);

}  // namespace braid
