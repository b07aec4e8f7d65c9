#pragma once

#include "base/samples.h"
#include "cost/contest_times.h"
#include "cost/simulated_time.h"
#include "pipeline/stages.h"

namespace braid {

/// One side of a contest: a Program, and tensors for its inputs in their order.
struct Contestant {
  Program& program;
  const std::vector<Tensor>& inputs;
};

/// Runs both by turns, 200 times each or for twelve seconds. A `progress` that says no ends it with
/// the rounds that there are, perhaps none.
ContestTimes take_turns(const Contestant& champion, const Contestant& challenger,
                        const Progress& progress);

/// What the times of a contest tell.
struct ContestResult {
  double champion_ms = 0;  ///< the 20th percentile
  double challenger_ms = 0;
  RatioInterval ratio;  ///< the champion's time over the challenger's
  Band ratio_band;      ///< the same over the rounds
  std::size_t turns = 0;
};

/// There must have been a round.
ContestResult result_of(const ContestTimes& times);

/// "1.003 times as fast in 200 runs by turns, [0.998, 1.007] with 95 % confidence", of the
/// challenger.
std::string in_words(const ContestResult& result);

/// What is ahead by less comes out slower as often as not.
inline constexpr double kLeastKept = 0.004;

/// The noise rule: the challenger is ahead by more than what may be chance, and the interval that
/// holds the ratio with 95 % confidence lies above 1.
bool is_surely_faster(const RatioInterval& ratio);

/// Two graphs with the same inputs and outputs on a device that runs: how long each took, by turns.
struct GraphContest {
  ContestTimes times;  ///< the champion is what was given
  /// Why the challenger must not take its place: other numbers, by more than rounding explains;
  /// empty: they agree.
  std::string disagreement = {};
};

/// Throws Quota if there is no memory for both at once.
void check_memory_of_both(const Planned& given, const Planned& rewritten, const Device& device,
                          const Quotas& quotas);

GraphContest contest_of_graphs(const Planned& given, const Planned& rewritten, const Device& device,
                               const PipelineOptions& options);

/// The largest difference of two lists of outputs, in words with the output's name, if it is beyond
/// what rounding explains; empty otherwise.
std::string disagreement(const Graph& graph, const std::vector<Tensor>& expected,
                         const std::vector<Tensor>& got);

}  // namespace braid
