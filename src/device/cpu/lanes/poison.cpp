#include "device/cpu/lanes/poison.h"

#include <algorithm>
#include <chrono>

#include <emmintrin.h>
#include <sched.h>

namespace braid::cpu {
namespace {

std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

void spin(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) _mm_pause();
}

}  // namespace

void Poison::fill(std::span<std::byte> bytes) const {
  // In every floating-point type 0xff… is not a number and 0x7f… is huge: a maximum hides the
  // first, a minimum the second.
  const auto pattern = mixed(seed_) % 2 == 0 ? std::byte{0xff} : std::byte{0x7f};
  std::ranges::fill(bytes, pattern);
}

void Poison::delay(std::size_t step, int moment) const {
  const std::uint64_t dice = mixed(mixed(seed_) + 2 * step + static_cast<std::uint64_t>(moment));
  switch (dice % 8) {
    case 0:
      return spin(std::chrono::microseconds(dice / 8 % 50));
    case 1:
    case 2:
      for (std::uint64_t i = 0; i < 1 + dice / 8 % 4; ++i) sched_yield();
      return;
    default:
      return;
  }
}

}  // namespace braid::cpu
