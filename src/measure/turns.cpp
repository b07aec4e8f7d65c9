#include "measure/turns.h"

#include <chrono>
#include <numeric>
#include <random>

namespace braid {
namespace {

/// The same order everywhere; std::shuffle may differ between libraries.
void shuffle(std::vector<std::size_t>& order, std::mt19937_64& random) {
  for (std::size_t left = order.size(); left > 1; --left)
    std::swap(order[left - 1], order[random() % left]);
}

}  // namespace

TurnTimes take_turns(const std::vector<Turn>& contenders, const TurnOptions& options) {
  using Clock = std::chrono::steady_clock;
  TurnTimes result;
  result.times.resize(contenders.size());
  std::vector<std::size_t> order(contenders.size());
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(options.seed);
  const auto told_to_stop = [&](int round) {
    return options.progress && !options.progress("measuring", round, options.iterations);
  };

  for (int i = 0; i < options.warm_up; ++i)
    for (const Turn& turn : contenders) {
      if (told_to_stop(0)) return {result.times, true};
      turn();
    }
  const auto start = Clock::now();
  std::vector<double> round_times(contenders.size());
  for (int round = 0; round < options.iterations; ++round) {
    const std::chrono::duration<double> passed = Clock::now() - start;
    if (round > 0 && options.seconds > 0 && passed.count() > options.seconds) break;
    shuffle(order, random);
    for (std::size_t contender : order) {
      if (told_to_stop(round)) return {result.times, true};
      round_times[contender] = contenders[contender]();
    }
    for (std::size_t i = 0; i < contenders.size(); ++i) result.times[i].push_back(round_times[i]);
  }
  return result;
}

}  // namespace braid
