#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/progress.h"

namespace braid {

struct TurnOptions {
  int iterations = 200;  ///< turns of each contender at most
  double seconds = 0;    ///< no new round begins after these; 0: no limit
  int warm_up = 3;       ///< turns of each that do not count
  std::uint64_t seed = 1;
  /// Told after each round. Returning false ends it with the rounds that there are.
  Progress progress = {};
};

/// What one contender does in its turn: returns its time, in whatever unit.
using Turn = std::function<double()>;

struct TurnTimes {
  std::vector<std::vector<double>> times;  ///< by contender and round; all of the same length
  bool cancelled = false;
};

/// Lets contenders take turns in rounds, each once in a round, in an order shuffled again every
/// round: a machine that drifts drifts for all. Runs one round at least, unless cancelled before.
TurnTimes take_turns(const std::vector<Turn>& contenders, const TurnOptions& options);

}  // namespace braid
