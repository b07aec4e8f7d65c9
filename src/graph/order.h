#pragma once

#include <functional>
#include <vector>

#include "base/function_ref.h"
#include "graph/graph.h"

namespace braid {

/// Every node after the producers of its inputs; among those that are ready, the one with the
/// smallest id. Throws Model, naming a node, if there is a cycle.
std::vector<NodeId> topological_order(const Graph& graph);

/// Visits the node and all that it needs, but for nodes that are done already: every node after
/// what it needs, inputs from left to right. Marks as done what it visits. An invalid id is
/// nothing.
void visit_needed(const Graph& graph, NodeId root, std::vector<bool>& done,
                  FunctionRef<void(NodeId)> visit);

/// Tells which nodes count when a graph is measured.
using NodeFilter = std::function<bool(const Node&)>;

/// The number of counted nodes on the longest path.
std::int64_t depth(const Graph& graph, const NodeFilter& counts);

}  // namespace braid
