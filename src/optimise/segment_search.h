#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "optimise/positional.h"

namespace braid {

/// What a graph costs to the search that minimises it.
using CostOfRewriting = std::function<double(const Graph&)>;

struct SegmentSearchLimits {
  std::size_t pops = 200;         ///< graphs of which all rewritings are looked at
  std::size_t candidates = 5000;  ///< graphs that are built
  /// The time to stop at. Without it the result depends on nothing but the segment and the costs.
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
};

struct SegmentSearchOptions {
  SegmentSearchLimits limits = {};
  double gamma = 1.05;  ///< a graph that costs this many times the best, or more, leads nowhere
  std::vector<std::string> rules = {};     ///< by name; empty: all
  std::vector<std::string> untidied = {};  ///< steps of canonicalisation to do without
};

enum class SegmentStop { Exhausted, Pops, Candidates, Time };
/// "nothing left to try", …
std::string_view name(SegmentStop stop);

struct SegmentSearchResult {
  double cost_before = 0;
  double cost = 0;                      ///< of the cheapest graph that was found
  std::vector<PositionalRound> rounds;  ///< that make it; none if what was given is the cheapest
  SegmentStop stop = SegmentStop::Exhausted;
  std::size_t pops = 0;
  std::size_t candidates = 0;
  std::size_t costed = 0;  ///< candidates that were not known already
};

/// Looks for the cheapest rewriting of a segment, best first: of the cheapest graph that it knows
/// and has not looked at, it tries every match of every rule alone; for every rule with equal
/// parameters all matches at once, and all at equal nodes at once; and all that made the graph
/// cheaper alone, the best first. Stops when all graphs that are cheap enough were looked at, or at
/// a limit. Of equally cheap graphs the one that was found first counts.
SegmentSearchResult search_segment(const Graph& segment, const CostOfRewriting& cost,
                                   const SegmentSearchOptions& options = {});

}  // namespace braid
