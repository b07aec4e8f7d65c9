#pragma once

#include <string>

#include "graph/graph.h"
#include "plan/plan.h"

namespace braid {

/// The plainest Plan: every node whole, one after another in topological order.
Plan one_stream(const Graph& graph, std::string device);

}  // namespace braid
