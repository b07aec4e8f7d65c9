#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "optimise/partition.h"
#include "optimise/segment.h"
#include "optimise/segment_search.h"

namespace braid {

/// What a segment costs in its surroundings. The whole graph is a segment in empty surroundings.
using SegmentCost = std::function<double(const Graph& segment, const Surroundings& around)>;

struct PartitionedSearchOptions {
  bool use_partition = true;  ///< false: the whole graph is the only part
  PartitionOptions partition = {};
  /// For each part; a deadline is that of all searches, and is shared out among them.
  SegmentSearchOptions segment = {};
};

/// A rewritten graph. RewrittenGraph::replay() makes it again of the original.
struct GraphCandidate {
  double cost = 0;
  std::vector<Round> rounds;
  Graph graph;
};

struct PartitionedSearchResult {
  double cost_before = 0;
  std::optional<GraphCandidate> found;  ///< cheaper than the original; nothing if there is none
  std::size_t parts = 0;
  std::size_t built = 0;  ///< candidates of segments
  std::size_t lost = 0;   ///< moves that fit their segments but not the graph (splice.h)
};

/// Cuts the graph into parts, rewrites each where its surroundings say when its inputs arrive and
/// what waits for its outputs, and puts the best of all together. `time_of` says when values arrive
/// at segments; `cost` decides.
PartitionedSearchResult search_partitioned(const Graph& graph, const NodeTime& time_of,
                                           const SegmentCost& cost,
                                           const PartitionedSearchOptions& options);

}  // namespace braid
