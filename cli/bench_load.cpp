#include "cli/bench_load.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <thread>

namespace braid::cli {
namespace {

constexpr double kLoadSeconds = 2;  ///< of a turn in which requests come at a rate

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

TurnSamples single_turn(const Runnable& prepared, const std::vector<Tensor>& inputs) {
  const auto start = Clock::now();
  run(prepared, inputs);
  const double ms = milliseconds_since(start);
  return {{ms}, ms / 1e3};
}

/// Callers that call again until the turn is over.
TurnSamples callers_turn(const Runnable& prepared, const std::vector<Tensor>& inputs, int callers) {
  std::mutex mutex;
  std::exception_ptr problem;
  TurnSamples turn;
  const auto start = Clock::now();
  const auto call = [&] {
    std::vector<double> times_ms;
    try {
      do {
        const auto begin = Clock::now();
        run(prepared, inputs);
        times_ms.push_back(milliseconds_since(begin));
      } while (milliseconds_since(start) < kCallersTurn * 1e3);
    } catch (...) {
      const std::lock_guard lock(mutex);
      problem = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    turn.times_ms.insert(turn.times_ms.end(), times_ms.begin(), times_ms.end());
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < callers; ++i) threads.emplace_back(call);
  for (std::thread& thread : threads) thread.join();
  if (problem) std::rethrow_exception(problem);
  turn.seconds = milliseconds_since(start) / 1e3;
  return turn;
}

TurnSamples open_turn(const Runnable& prepared, const std::vector<Tensor>& inputs,
                      const std::vector<double>& arrivals, int callers) {
  OpenLoop load = run_open_loop(arrivals, callers, [&] { run(prepared, inputs); }, real_clock());
  TurnSamples turn{.times_ms = {}, .seconds = load.load_s};
  for (const double latency_s : load.latencies_s) turn.times_ms.push_back(latency_s * 1e3);
  turn.load = std::move(load);
  return turn;
}

}  // namespace

bool BenchLoads::have_long_turns() const {
  return std::ranges::any_of(
      each, [](const BenchLoad& load) { return load.callers > 1 || load.is_open_loop(); });
}

int BenchLoads::rounds() const {
  if (iterations == 0 || !are_open_loops()) return iterations;
  double most = 1;  // requests of a turn at the highest rate
  for (const BenchLoad& load : each) most = std::max(most, load.rate_per_s * kLoadSeconds);
  return static_cast<int>(std::ceil(iterations / most));
}

std::size_t BenchLoads::requests_of_a_turn(const BenchLoad& load) const {
  const double requests =
      iterations == 0 ? load.rate_per_s * kLoadSeconds : 1.0 * iterations / rounds();
  return static_cast<std::size_t>(std::max(1.0, std::ceil(requests)));
}

std::vector<BenchLoad> loads_of(const std::vector<int>& callers, const std::vector<double>& rates,
                                int threads) {
  std::vector<BenchLoad> loads;
  for (const double rate : rates.empty() ? std::vector<double>{0} : rates) {
    if (callers.empty()) loads.push_back({rate > 0 ? threads : 1, rate});
    for (const int count : callers) loads.push_back({count, rate});
  }
  return loads;
}

std::function<TurnSamples()> turn_of(const Runnable& prepared, const std::vector<Tensor>& inputs,
                                     const BenchLoads& loads, const BenchLoad& load) {
  if (!loads.have_long_turns()) return [&] { return single_turn(prepared, inputs); };
  const int callers = load.callers;
  if (!load.is_open_loop()) return [&, callers] { return callers_turn(prepared, inputs, callers); };
  return [&prepared, &inputs, load, seed = loads.seed,
          count = loads.requests_of_a_turn(load)]() mutable {
    return open_turn(prepared, inputs, poisson_arrivals(load.rate_per_s, count, seed++),
                     load.callers);
  };
}

}  // namespace braid::cli
