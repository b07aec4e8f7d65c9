#pragma once

#include <atomic>
#include <cstdint>

namespace braid::cpu {

/// How long a wait stays awake before it sleeps in the kernel: some pauses of the processor, then
/// some times that the core is offered to others.
struct Patience {
  int pauses = 0;
  int yields = 0;
};

/// A number that one thread raises and others wait for. Raising it costs a system call only if a
/// thread sleeps. It wraps around: values and targets are never 2^31 apart.
class alignas(64) Counter {
 public:
  /// Sets it back to 0, while no thread raises it or waits for it.
  void reset() { value_.store(0, std::memory_order_relaxed); }

  /// What the caller wrote before is seen by those whose wait this ends. The Counter is touched
  /// once more after waits have ended: it must outlive that.
  void raise_to(std::uint32_t value);

  bool reached(std::uint32_t target) const {
    return is_at(value_.load(std::memory_order_acquire), target);
  }
  void wait_for(std::uint32_t target, const Patience& patience);

 private:
  static bool is_at(std::uint32_t value, std::uint32_t target) {
    return static_cast<std::int32_t>(value - target) >= 0;
  }
  void sleep_until(std::uint32_t target);

  std::atomic<std::uint32_t> value_ = 0;
  std::atomic<std::uint32_t> sleepers_ = 0;
};

}  // namespace braid::cpu
