#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"
#include "plan/plan.h"

namespace braid {

/// The plainest Plan: every node whole, one after another in topological order.
Plan one_stream(const Graph& graph, std::string device);
/// The same in another order, which is topological too.
Plan one_stream(const Graph& graph, std::string device, const std::vector<NodeId>& order);

/// A topological order in which the next node is always the one after which least memory is in use:
/// often, not always, one that needs little.
std::vector<NodeId> thrifty_order(const Graph& graph);

}  // namespace braid
