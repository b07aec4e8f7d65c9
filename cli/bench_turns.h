#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/bench_report.h"
#include "cli/turn_samples.h"
#include "measure/turns.h"

namespace braid::cli {

/// One who takes turns in a bench: Braid under a scheduler, or a peer.
struct BenchEntrant {
  BenchRow row;  ///< what is known before anything is measured
  std::function<TurnSamples()> turn;
  std::function<void()> warm_up = {};  ///< what does not count; empty: a turn
  std::string failure = {};            ///< why a peer was given up; its row is worth nothing
};

/// How the turns of a bench go on.
struct BenchTurns {
  TurnOptions options;
  bool long_turns = false;  ///< a turn is many inferences
};

/// Warms up, measures, and fills the entrants' rows: times and the ratio to the first, which does
/// not fail. False: the user stopped it; the rows have what was measured until then, perhaps
/// nothing.
bool measure(std::vector<BenchEntrant>& entrants, const BenchTurns& turns);

}  // namespace braid::cli
