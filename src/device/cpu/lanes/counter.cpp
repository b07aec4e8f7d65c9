#include "device/cpu/lanes/counter.h"

#include <limits>

#include <emmintrin.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace braid::cpu {
namespace {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t) &&
              std::atomic<std::uint32_t>::is_always_lock_free);

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

void futex_wake_all(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, std::numeric_limits<int>::max(), nullptr, nullptr,
          0);
}

}  // namespace

// Either the one who raises sees the sleeper, or the sleeper sees the new value: both write first
// and read afterwards, in the one order of sequentially consistent operations.
void Counter::raise_to(std::uint32_t value) {
  value_.store(value, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) != 0) futex_wake_all(value_);
}

void Counter::wait_for(std::uint32_t target, const Patience& patience) {
  if (reached(target)) return;
  for (int i = 0; i < patience.pauses; ++i) {
    _mm_pause();
    if (reached(target)) return;
  }
  for (int i = 0; i < patience.yields; ++i) {
    sched_yield();
    if (reached(target)) return;
  }
  sleep_until(target);
}

void Counter::sleep_until(std::uint32_t target) {
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  for (;;) {
    const std::uint32_t value = value_.load(std::memory_order_seq_cst);
    if (is_at(value, target)) break;
    futex_wait(value_, value);
  }
  sleepers_.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace braid::cpu
