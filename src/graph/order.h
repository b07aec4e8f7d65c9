#pragma once

#include <functional>
#include <vector>

#include "graph/graph.h"

namespace braid {

/// Every node after the producers of its inputs; among those that are ready, the one with the
/// smallest id. Throws Model, naming a node, if there is a cycle.
std::vector<NodeId> topological_order(const Graph& graph);

/// Tells which nodes count when a graph is measured.
using NodeFilter = std::function<bool(const Node&)>;

/// The number of counted nodes on the longest path.
std::int64_t depth(const Graph& graph, const NodeFilter& counts);

}  // namespace braid
