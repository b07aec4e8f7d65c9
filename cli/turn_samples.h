#pragma once

#include <vector>

namespace braid::cli {

/// What one turn of a contender measured.
struct TurnSamples {
  std::vector<double> times_ms;  ///< of single inferences, one at least
  double seconds = 0;            ///< from the first's begin to the last's end
};

}  // namespace braid::cli
