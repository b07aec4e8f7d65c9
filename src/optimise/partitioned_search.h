#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "base/progress.h"
#include "optimise/partition.h"
#include "optimise/segment.h"
#include "optimise/segment_search.h"

namespace braid {

/// What a segment costs in its surroundings. The whole graph is a segment in empty surroundings.
using SegmentCost = std::function<double(const Graph& segment, const Surroundings& around)>;

/// What was found for segments, by their keys: for searches with the same costs and options.
using SegmentMemo = std::unordered_map<Hash128, SegmentSearchResult>;

struct PartitionedSearchOptions {
  bool use_partition = true;  ///< false: the whole graph is the only segment
  bool use_dp = true;         ///< false: every part is a segment, and no segment is longer
  bool use_memo = true;       ///< false: every segment is searched
  PartitionOptions partition = {};
  std::size_t size_upper = 60;  ///< longer segments have fewer operators
  bool bonded_only = true;      ///< longer segments are held together by matches (bonded_ranges)
  MatchWeight weight_of = {};   ///< what parting a match costs a cut
  /// For each segment; a deadline is that of all searches, and is shared out among them.
  SegmentSearchOptions segment = {};
  std::size_t beam = 16;  ///< assemblies that are built
  std::size_t keep = 8;   ///< graphs to give back
  double grain_us = 0.5;  ///< times in the key of a segment are rounded to this
  Progress progress = {};
};

/// A rewritten graph. RewrittenGraph::replay() makes it again of the original.
struct GraphCandidate {
  double cost = 0;
  std::vector<Round> rounds;
  Graph graph;
};

struct PartitionedSearchResult {
  double cost_before = 0;
  std::vector<GraphCandidate>
      candidates;  ///< with different operators, none the original, the best first
  std::size_t parts = 0;
  std::size_t segments = 0;
  std::size_t searched = 0;  ///< segments that the memo did not know
  std::size_t built = 0;     ///< candidates of segments
  std::size_t lost = 0;      ///< moves that fit their segments but not the graph (splice.h)
};

/// Cuts the graph into parts, searches the segments (parts and neighbours together), and puts
/// together what was found so that the gains of the segments add up to the most. `time_of` says
/// when values arrive at segments; `cost` decides. Candidates are ordered by what the whole graph
/// costs.
///
/// Of a segment counts what it gains, not what it costs: in its surroundings its cost holds the
/// critical path of the whole graph, which must not be counted once for each segment.
PartitionedSearchResult search_partitioned(const Graph& graph, const NodeTime& time_of,
                                           const SegmentCost& cost,
                                           const PartitionedSearchOptions& options,
                                           SegmentMemo& memo);

}  // namespace braid
