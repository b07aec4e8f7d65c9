#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "optimise/moves.h"
#include "optimise/partitioned_search.h"
#include "optimise/rewrite_cost.h"
#include "optimise/trial.h"

namespace braid {

enum class SearchStop { Budget, Candidates, Converged, Cancelled };

/// The mixed cost of a segment in its surroundings: `alpha` times the path, plus the time of its
/// own operators and `launch_us` for each of them that does something.
using WeightedSegmentCost = std::function<double(const Graph& segment, const Surroundings& around,
                                                 double alpha, double launch_us)>;

struct GraphSearchOptions {
  RewriteCost cost = RewriteCost::Mixed;
  /// Whether trials decide, and the cost only filters; else the cost alone decides.
  bool judge = true;
  double seconds = 60;          ///< 0: no clock is read
  std::int64_t candidates = 0;  ///< 0: as many as the seconds allow
  std::vector<std::string> disabled = {};
  std::vector<std::string> untidied = {};
  RewriteLimits limits = {};
  std::uint64_t seed = 1;
  Progress progress = {};

  // Parts (optimise/partitioned_search.h) are searched if both are given and the cost decides.
  NodeTime time_of = {};
  WeightedSegmentCost segment_cost = {};
  bool use_partition = true;
};

/// An improvement: when it was found, and how much faster the graph then seemed.
struct GainPoint {
  double seconds = 0;
  std::int64_t candidates = 0;
  double ratio = 1;
  std::string_view step = {};  ///< of the search
};

struct FoundGraph {
  RewrittenGraph rewritten;
  std::unique_ptr<Trial> trial;
  double ratio = 1;  ///< the time of what was given over its own, as the search sees it
  std::int64_t candidates = 0;
  SearchStop stopped = SearchStop::Converged;
  std::vector<GainPoint> gains = {};
};

/// Rewrites a graph: groups of equal sites first, then what was given without some of the moves
/// made, then, if the cost alone decides, parts one by one, then single sites; each kept if it
/// climbs the ladder (optimise/ladder.h). Where trials take long, what the cost alone finds comes
/// before all of these. `start` is what was `given` with moves that are known to be
/// good, if any, and the trial is of it, well scheduled. Cancelling ends the search; it does not
/// throw.
FoundGraph search_rewriting(RewrittenGraph given, RewrittenGraph start,
                            std::unique_ptr<Trial> trial, const OpenTrial& open,
                            const GraphSearchOptions& options);

}  // namespace braid
