#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <braid/tensor.h>

#include "cli/turn_samples.h"
#include "pipeline/stages.h"

namespace braid::cli {

/// How a contender is called while it is measured.
struct BenchLoad {
  int callers = 1;
  double rate_per_s = 0;  ///< of requests that do not wait for one another; 0: callers call again

  bool is_open_loop() const { return rate_per_s > 0; }
};

/// What all loads of a bench have in common.
struct BenchLoads {
  std::vector<BenchLoad> each;
  std::uint64_t seed = 0;  ///< of arrivals; those of one round are the same for all contenders
  int iterations = 0;      ///< of each contender at least; 0: until the time is over

  bool are_open_loops() const { return each[0].is_open_loop(); }
  /// Whether a turn is many inferences.
  bool have_long_turns() const;
  /// Rounds that bring so many iterations; 0: until the time is over.
  int rounds() const;
  /// Requests that come in a turn.
  std::size_t requests_of_a_turn(const BenchLoad& load) const;
};

/// Every number of callers at every rate. Without callers, one; or as many as there are `threads`
/// to answer at once, if requests come at a rate.
std::vector<BenchLoad> loads_of(const std::vector<int>& callers, const std::vector<double>& rates,
                                int threads);

inline constexpr double kCallersTurn = 0.25;  ///< seconds of a turn of callers

/// What a contender does in its turns under the load.
std::function<TurnSamples()> turn_of(const Runnable& prepared, const std::vector<Tensor>& inputs,
                                     const BenchLoads& loads, const BenchLoad& load);

}  // namespace braid::cli
