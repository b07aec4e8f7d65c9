#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

#include <rapidcheck.h>

#include "graph/layout.h"

/// For properties of kernels: numbers that rapidcheck draws.

namespace braid::cpu {

inline std::int64_t pick(std::int64_t low, std::int64_t high) {
  return *rc::gen::inRange<std::int64_t>(low, high + 1);
}
inline std::mt19937 pick_random() { return std::mt19937(static_cast<unsigned>(pick(0, 1 << 20))); }

/// Row-major, channels last, or any other.
inline AxisOrder pick_order(std::size_t rank) {
  if (rank >= 3 && pick(0, 1) == 1) return channels_last_order(rank);
  AxisOrder order = whole_order({}, rank);
  if (pick(0, 2) == 0) {
    std::mt19937 random = pick_random();
    std::shuffle(order.begin(), order.end(), random);
  }
  return normal_order(order);
}

}  // namespace braid::cpu
