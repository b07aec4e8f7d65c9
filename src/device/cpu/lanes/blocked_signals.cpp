#include "device/cpu/lanes/blocked_signals.h"

#include <ctime>
#include <initializer_list>

#include <pthread.h>

namespace braid::cpu {
namespace {

constexpr std::int64_t kMostWait_ms = 10;

/// The time by a clock that is cheaper than the precise one, and good to some milliseconds.
std::int64_t now_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

const sigset_t& waiting_signals() {
  static const sigset_t signals = [] {
    sigset_t set;
    sigfillset(&set);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT})
      sigdelset(&set, fault);
    return set;
  }();
  return signals;
}

}  // namespace

BlockedSignals::BlockedSignals() : last_ms_(now_ms()) {
  pthread_sigmask(SIG_BLOCK, &waiting_signals(), &before_);
}

BlockedSignals::~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

void BlockedSignals::let_through() {
  const std::int64_t now = now_ms();
  if (now - last_ms_ < kMostWait_ms) return;
  last_ms_ = now;
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  pthread_sigmask(SIG_BLOCK, &waiting_signals(), nullptr);
}

}  // namespace braid::cpu
