#pragma once

#include <span>

#include "optimise/positional.h"

namespace braid {

/// Rounds that were found for a segment (optimise/segment.h).
struct SegmentRewriting {
  const Graph* segment = nullptr;  ///< as it was cut out
  const std::vector<PositionalRound>* rounds = nullptr;
};

struct Spliced {
  RewrittenGraph graph;
  /// Moves that could not be made because the graph around a segment changed what they match.
  std::size_t lost = 0;
};

/// Makes the rounds of segments that have no node in common in the graph they were cut out of: the
/// first rounds of all, then the second ones, and so on.
///
/// The segments are rewritten beside the graph, so that for each of their values it is known which
/// it is there, whatever names new values get. Where the graph around leaves a segment as it was,
/// the result is that of the segment alone; tidying may go further across its rim. When a move
/// matches nothing, the moves behind it in its segment are lost with it.
Spliced splice(const Graph& graph, std::span<const SegmentRewriting> segments,
               const RewriteLimits& limits, const std::vector<std::string>& untidied = {});

}  // namespace braid
