#pragma once

#include <vector>

#include "cost/cost_model.h"
#include "plan/plan.h"

namespace braid {

/// One node of a lowered graph as a graph of its own: the same types, layouts, constants and
/// lowering. Its other inputs are graph inputs; its outputs lie in the arena, where they would lie
/// in a run, and are no graph outputs.
struct OneNode {
  Graph graph;
  NodeId node;
};

/// The name of the node in that graph, and so of its events in a Trace.
inline constexpr const char* kOneNodeName = "measured";

OneNode one_node(const Graph& lowered, NodeId id);

/// A verified Plan that runs the node whole on one stream, or its parts on a stream each. There
/// must be a cut into that many parts (cut_into(), cost/signature.h).
Plan plan_of_parts(const OneNode& one, const DeviceSpec& device, int parts);

/// Inputs for a graph: reals in [-1, 1), whole numbers and truth values 0 or 1; the same every
/// time.
std::vector<Tensor> random_inputs(const Graph& graph);

}  // namespace braid
