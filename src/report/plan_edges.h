#pragma once

#include <vector>

#include "graph/graph.h"
#include "plan/plan.h"

namespace braid {

/// Why one node comes after another.
struct PlanEdge {
  NodeId from;
  NodeId to;
  bool carries = false;  ///< a value goes along it
  bool waits = false;    ///< a step of `to` waits for one of `from` on another stream

  bool operator==(const PlanEdge&) const = default;
};

/// The edges of a Plan, at most one from a node to another, sorted by `from` and `to`.
std::vector<PlanEdge> plan_edges(const Graph& lowered, const Plan& plan);

/// The stream of a node, or of its first part, by id; -1: the Plan has no such node.
std::vector<std::int32_t> node_streams(const Graph& lowered, const Plan& plan);

/// All streams that run a node or a part of it, in order, by id.
std::vector<std::vector<std::size_t>> streams_by_node(const Graph& lowered, const Plan& plan);

/// The most predecessors of a node that come one after another, by the node's id.
std::vector<std::int32_t> node_levels(const Graph& lowered);

}  // namespace braid
