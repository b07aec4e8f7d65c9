#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cost/cost_model.h"

namespace braid {

/// An operator signature of a lowered graph, and the first node that has it.
struct Wanted {
  std::string signature;
  NodeId node;
  int parts = 1;
  int uses = 0;  ///< nodes of the graph that have it
  double modelled_us = 0;
  std::int64_t bytes = 0;  ///< of the node's values
};

/// Every signature of the graph once, in the order of nodes: whole, and in the numbers of parts
/// that part_counts() gives as far as the node may be cut so. Views have no cost and are left out.
std::vector<Wanted> wanted_signatures(const Graph& lowered, const CostModel& model, int streams);

/// Numbers of parts: 2, 3, 4, then powers of two, and `streams` itself.
std::vector<int> part_counts(int streams);

/// What a run of the graph touches: its constants, and the most of the other values that live at
/// once if the nodes run in their order.
std::int64_t touched_bytes(const Graph& lowered);

/// Bytes of other memory to read between two uses of a node that is measured; in steps, so that
/// models of about the same size share what was measured.
std::int64_t bytes_between_uses(const Graph& lowered);

}  // namespace braid
