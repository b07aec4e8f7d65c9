#pragma once

#include <csignal>
#include <cstdint>

namespace braid::cpu {

/// While it lives, signals wait that would interrupt the calling thread; the end restores what the
/// caller had, and those that waited are delivered then.
///
/// Kernels need this: some of oneDNN's products point the stack pointer into a buffer on the heap,
/// and a signal that arrives then has its frame written over what lies before that buffer, unless
/// the handler has a stack of its own. Signals that report a fault of the thread itself do not
/// wait: a program that watches for crashes still sees them.
class BlockedSignals {
 public:
  BlockedSignals();
  ~BlockedSignals();
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

  /// Between two kernels: delivers what waits on this thread, if it has been some milliseconds
  /// since that was last done. So a run that takes seconds does not keep its caller from being
  /// interrupted.
  void let_through();

 private:
  sigset_t before_;
  std::int64_t last_ms_;
};

}  // namespace braid::cpu
