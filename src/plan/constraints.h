#pragma once

#include <span>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "plan/edits.h"
#include "plan/node_names.h"
#include "plan/plan.h"

namespace braid {

/// An edit whose patterns were looked up: nodes of a lowered graph, ascending, none of them views.
struct Constraint {
  EditKind kind = EditKind::Pin;
  std::vector<NodeId> a;
  std::vector<NodeId> b;
  int stream = -1;
  int line = 0;
  std::string written;
};

/// Looks up the nodes of edits. A view does nothing, so it stands for the nodes that write its
/// bytes. Throws Model, naming the line, for names that the graph does not have, a stream that the
/// device does not have, a node that is pinned to two streams, and orders that contradict the graph
/// or one another, with the path of nodes that does so.
std::vector<Constraint> constraints_of(const Graph& graph, const NodeNames& names,
                                       std::span<const PlanEdit> edits, int streams);

/// The Plan made to obey the constraints, which are from constraints_of(). What they do not concern
/// stays where it was: a pinned node moves to its stream and is whole again, steps that must come
/// later are put off, waits are added and memory is placed again (a Plan without placements gets
/// none). Of two that may not run beside one another the one that the Plan has earlier goes first.
Plan obeying(const Graph& graph, const Plan& plan, std::span<const Constraint> constraints);

}  // namespace braid
