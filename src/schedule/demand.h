#pragma once

#include <string_view>

#include "cost/cost_model.h"
#include "graph/graph.h"

namespace braid {

/// What an operator asks of a GPU, for Opara's launch order.
struct Demand {
  bool memory_bound = false;
  /// How many multiprocessors its blocks fill: by threads, registers, shared memory or blocks,
  /// whichever is scarcest. They are those of a usual GPU: only the order matters.
  double fills = 0;
  double bandwidth_share = 0;
};

/// What a node asks of a GPU; `cost` is the node's.
Demand demand_of(const Graph& graph, NodeId id, const Cost& cost);

/// The demand as Opara's code sees it: operators whose names contain one of certain words are bound
/// by memory, and the demand is the shared memory of one block.
Demand published_demand_of(const Graph& graph, NodeId id);

}  // namespace braid
