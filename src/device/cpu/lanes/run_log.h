#pragma once

#include <chrono>
#include <vector>

#include "device/cpu/lanes/script.h"
#include "trace/trace.h"

namespace braid::cpu {

/// When the steps of a run waited, began and ended. Does nothing unless started. Each lane writes
/// about its own steps only, so lanes do not disturb one another.
class RunLog {
 public:
  void start(std::size_t steps) {
    times_.resize(steps);
    start_ = Clock::now();
  }

  void wait_begins(std::size_t step) {
    if (!times_.empty() && times_[step].wait_begin < 0) times_[step].wait_begin = now();
  }
  void step_begins(std::size_t step) {
    if (!times_.empty()) times_[step].begin = now();
  }
  void step_ends(std::size_t step) {
    if (!times_.empty()) times_[step].end = now();
  }

  /// The events of the run, lane after lane, once it has ended.
  Trace trace(const Script& script) const;

 private:
  using Clock = std::chrono::steady_clock;

  /// Moments in microseconds from the start; negative: did not happen.
  struct Times {
    double wait_begin = -1;
    double begin = -1;
    double end = -1;
  };

  double now() const {
    return std::chrono::duration<double, std::micro>(Clock::now() - start_).count();
  }

  Clock::time_point start_;
  std::vector<Times> times_;
};

}  // namespace braid::cpu
