#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace braid {

/// When requests come that do not wait for one another, in seconds from the begin of a load: gaps
/// are exponential with the mean 1 / `rate_per_s` (a Poisson process), the same for a seed on every
/// machine.
std::vector<double> poisson_arrivals(double rate_per_s, std::size_t count, std::uint64_t seed);

/// The time of an open loop, which a test may invent.
struct LoadClock {
  std::function<double()> now_s;
  std::function<void(double)> sleep_until_s;
};
/// The steady clock, 0 when this is called.
LoadClock real_clock();

/// What became of a load.
struct OpenLoop {
  /// From when a request was due, not from when a caller came to it, to its answer: so what waits
  /// behind a slow request is slow, too. In the order of `arrivals`. Of a request that was given up
  /// it is how long it had waited.
  std::vector<double> latencies_s;
  double load_s = 0;           ///< until the last request was due
  std::size_t answered = 0;    ///< meanwhile
  std::size_t waiting = 0;     ///< then, with no caller for them
  std::size_t given_up = 0;    ///< not begun for as long again, or a second
  std::size_t found_idle = 0;  ///< requests of the load's second half that a caller waited for
};

/// So many callers answer the requests in the order in which they come, each as soon as it is due
/// and a caller is free. When all have been due, what still waits is answered for as long again, a
/// second at least, and then given up. Throws what `answer` throws, once all callers have ended.
OpenLoop run_open_loop(const std::vector<double>& arrivals, int callers,
                       const std::function<void()>& answer, const LoadClock& clock);

/// What several loads of one rate came to.
struct LoadTotals {
  double load_s = 0;
  std::size_t requests = 0;
  std::size_t answered = 0;
  std::size_t most_waiting = 0;
  std::size_t given_up = 0;
  int loads = 0;
  int overloads = 0;  ///< of them, those that were too much

  void add(const OpenLoop& load, int callers);
  double offered_per_s() const { return static_cast<double>(requests) / load_s; }
  double served_per_s() const { return static_cast<double>(answered) / load_s; }
  /// Whether requests come faster than they are answered: in most loads the queue grew to more than
  /// a twentieth of all requests, and from half time on no request found a caller idle.
  bool overloaded() const { return 2 * overloads > loads; }
};

}  // namespace braid
