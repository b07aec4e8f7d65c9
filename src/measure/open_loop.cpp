#include "measure/open_loop.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <mutex>
#include <random>
#include <thread>

namespace braid {
namespace {

constexpr double kNever = -1;
constexpr double kLeastPatience = 1;  ///< seconds until a request is given up

/// The requests of a load, as callers take and answer them.
class Queue {
 public:
  Queue(const std::vector<double>& arrivals, const LoadClock& clock)
      : arrivals_(arrivals),
        clock_(clock),
        begun_s_(arrivals.size()),
        ended_s_(arrivals.size(), kNever) {}

  /// Answers requests until there are none left, or none that is worth it.
  void serve(const std::function<void()>& answer) {
    for (std::size_t i = take(); i < arrivals_.size(); i = take()) {
      clock_.sleep_until_s(arrivals_[i]);
      begun_s_[i] = clock_.now_s();
      if (begun_s_[i] > arrivals_.back() + std::max(arrivals_.back(), kLeastPatience))
        return give_up(i);
      try {
        answer();
      } catch (...) {
        const std::lock_guard lock(mutex_);
        problem_ = std::current_exception();
        next_ = arrivals_.size();
        return;
      }
      ended_s_[i] = clock_.now_s();
    }
  }

  OpenLoop result() const {
    if (problem_) std::rethrow_exception(problem_);
    OpenLoop load;
    load.load_s = arrivals_.back();
    for (std::size_t i = 0; i < arrivals_.size(); ++i) {
      const bool given_up = ended_s_[i] == kNever;
      load.latencies_s.push_back((given_up ? given_up_s_ : ended_s_[i]) - arrivals_[i]);
      load.given_up += given_up ? 1 : 0;
      load.answered += !given_up && ended_s_[i] <= load.load_s ? 1 : 0;
      load.waiting += i + 1 < arrivals_.size() && (given_up || begun_s_[i] > load.load_s) ? 1 : 0;
      load.found_idle += 2 * i >= arrivals_.size() && slept_[i] ? 1 : 0;
    }
    return load;
  }

 private:
  std::size_t take() {
    const std::lock_guard lock(mutex_);
    if (next_ >= arrivals_.size()) return arrivals_.size();
    slept_.push_back(clock_.now_s() < arrivals_[next_]);
    return next_++;
  }

  void give_up(std::size_t request) {
    const std::lock_guard lock(mutex_);
    given_up_s_ = std::max(given_up_s_, begun_s_[request]);
    slept_.resize(arrivals_.size());
    next_ = arrivals_.size();
  }

  const std::vector<double>& arrivals_;
  const LoadClock& clock_;
  std::vector<double> begun_s_;
  std::vector<double> ended_s_;
  std::vector<bool> slept_;  // whether a caller had to wait for the request
  std::mutex mutex_;
  std::size_t next_ = 0;
  double given_up_s_ = 0;
  std::exception_ptr problem_;
};

}  // namespace

std::vector<double> poisson_arrivals(double rate_per_s, std::size_t count, std::uint64_t seed) {
  constexpr double kSteps = 9007199254740992.0;  // 2^53, as a double counts
  std::mt19937_64 random(seed);
  std::vector<double> arrivals(count);
  double now_s = 0;
  for (double& arrival : arrivals) {
    const double uniform = (static_cast<double>(random() >> 11U) + 0.5) / kSteps;
    now_s -= std::log(uniform) / rate_per_s;
    arrival = now_s;
  }
  return arrivals;
}

LoadClock real_clock() {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto after = [start](double seconds) {
    return start +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  };
  return {[start] { return std::chrono::duration<double>(Clock::now() - start).count(); },
          [after](double seconds) { std::this_thread::sleep_until(after(seconds)); }};
}

OpenLoop run_open_loop(const std::vector<double>& arrivals, int callers,
                       const std::function<void()>& answer, const LoadClock& clock) {
  Queue queue(arrivals, clock);
  std::vector<std::thread> others;
  for (int i = 1; i < callers; ++i) others.emplace_back([&] { queue.serve(answer); });
  queue.serve(answer);
  for (std::thread& thread : others) thread.join();
  return queue.result();
}

void LoadTotals::add(const OpenLoop& load, int callers) {
  load_s += load.load_s;
  requests += load.latencies_s.size();
  answered += load.answered;
  most_waiting = std::max(most_waiting, load.waiting);
  given_up += load.given_up;
  ++loads;
  const std::size_t much =
      std::max(static_cast<std::size_t>(callers), load.latencies_s.size() / 20);
  overloads += load.waiting > much && load.found_idle == 0 ? 1 : 0;
}

}  // namespace braid
