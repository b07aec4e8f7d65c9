#include "cli/bench_turns.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "base/error.h"
#include "cost/verdict.h"

namespace braid::cli {
namespace {

constexpr double kNoTime = std::numeric_limits<double>::quiet_NaN();

/// What all turns of an entrant measured; long ones are many times each.
struct EntrantSamples {
  std::vector<double> times_ms;
  double seconds = 0;
  std::optional<LoadTotals> load = {};
};

/// The time by which a turn is compared with others: of requests that come at a rate the median,
/// else what an inference takes of the time of all callers.
double time_of(const TurnSamples& turn) {
  return turn.load ? percentile(turn.times_ms, 50)
                   : turn.seconds * 1e3 / static_cast<double>(turn.times_ms.size());
}

void add(const TurnSamples& turn, int callers, EntrantSamples& samples) {
  samples.times_ms.insert(samples.times_ms.end(), turn.times_ms.begin(), turn.times_ms.end());
  samples.seconds += turn.seconds;
  if (!turn.load) return;
  if (!samples.load) samples.load.emplace();
  samples.load->add(*turn.load, callers);
}

/// The time of an inference in the turn, which is added to `samples`; none if it failed, or if the
/// user interrupted it.
double take_turn(BenchEntrant& entrant, EntrantSamples& samples) {
  if (!entrant.failure.empty()) return kNoTime;
  try {
    const TurnSamples turn = entrant.turn();
    add(turn, entrant.row.callers, samples);
    return time_of(turn);
  } catch (const Error& error) {
    if (!entrant.row.peer) throw;
    if (error.kind() != ErrorKind::Cancelled) entrant.failure = error.message();
    return kNoTime;
  }
}

/// A last round that the user interrupted is none.
void drop_interrupted_round(const std::vector<BenchEntrant>& entrants,
                            std::vector<std::vector<double>>& times) {
  for (std::size_t i = 0; i < entrants.size(); ++i)
    if (entrants[i].failure.empty() && !times[i].empty() && std::isnan(times[i].back())) {
      for (auto& row : times) row.pop_back();
      return;
    }
}

/// False: the user stopped it.
bool warm_up(const std::vector<BenchEntrant>& entrants, std::vector<Turn> takers,
             TurnOptions options) {
  for (std::size_t i = 0; i < entrants.size(); ++i)
    if (entrants[i].warm_up)
      takers[i] = [&entrants, i] {
        entrants[i].warm_up();
        return kNoTime;
      };
  options.iterations = 0;
  return !take_turns(takers, options).cancelled;
}

}  // namespace

bool measure(std::vector<BenchEntrant>& entrants, const BenchTurns& turns) {
  std::vector<EntrantSamples> samples(entrants.size());
  const bool peers =
      std::ranges::any_of(entrants, [](const auto& one) { return one.row.peer.has_value(); });
  std::vector<Turn> takers;
  for (std::size_t i = 0; i < entrants.size(); ++i)
    takers.emplace_back([&, i] {
      const double time = take_turn(entrants[i], samples[i]);
      // Threads of a runtime that still look for work go to sleep.
      if (peers) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return time;
    });
  if (!warm_up(entrants, takers, turns.options)) return false;
  samples.assign(entrants.size(), {});
  TurnOptions contest = turns.options;
  contest.warm_up = 0;
  TurnTimes result = take_turns(takers, contest);
  drop_interrupted_round(entrants, result.times);
  if (result.times[0].empty()) return false;
  for (std::size_t i = 0; i < entrants.size(); ++i) {
    if (!entrants[i].failure.empty()) continue;
    BenchRow& row = entrants[i].row;
    row.times_ms = turns.long_turns ? samples[i].times_ms : result.times[i];
    row.load = samples[i].load;
    if (turns.long_turns)
      row.inferences_per_s = static_cast<double>(samples[i].times_ms.size()) / samples[i].seconds;
    row.ratio = ratio_of_times(result.times[0], result.times[i]);
    if (i > 0) row.verdict = verdict_of(row.ratio);
  }
  return !result.cancelled;
}

}  // namespace braid::cli
