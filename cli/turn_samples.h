#pragma once

#include <optional>
#include <vector>

#include "measure/open_loop.h"

namespace braid::cli {

/// What one turn of a contender measured.
struct TurnSamples {
  std::vector<double> times_ms;       ///< of single inferences, one at least
  double seconds = 0;                 ///< from the first's begin to the last's end
  std::optional<OpenLoop> load = {};  ///< of requests that came at a rate
};

}  // namespace braid::cli
