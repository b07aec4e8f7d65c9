#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "optimise/moves.h"
#include "optimise/rewrite_cost.h"

namespace braid {

/// "sum", "critical-path", "mixed".
std::string_view name(RewriteCost cost);
/// The cost of that name; throws Usage, listing them, for anything else.
RewriteCost rewrite_cost_named(std::string_view text);

/// How a graph is optimised (pipeline/optimise.h).
struct OptimiseOptions {
  RewriteCost cost = RewriteCost::Mixed;
  /// Seconds for everything, the Plans before and after included; 0: no limit but candidates.
  double seconds = 60;
  /// Graphs to look at; 0: as many as the seconds allow. Given alone, no clock is read.
  std::int64_t candidates = 0;
  /// Where the cost alone decides: rewrite parts of the graph one by one; else the graph as one.
  bool use_partition = true;
  /// Let the device judge: else the cost alone decides, and the numbers are not checked either.
  bool verify = true;
  std::vector<std::string> disabled = {};  ///< names of rules to leave out
  std::vector<Round> start = {};           ///< moves to begin with, as an earlier search left them
  std::uint64_t seed = 1;
};

}  // namespace braid
