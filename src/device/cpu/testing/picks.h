#pragma once

#include <cstdint>
#include <random>

#include <rapidcheck.h>

/// For properties of kernels: numbers that rapidcheck draws.

namespace braid::cpu {

inline std::int64_t pick(std::int64_t low, std::int64_t high) {
  return *rc::gen::inRange<std::int64_t>(low, high + 1);
}
inline std::mt19937 pick_random() { return std::mt19937(static_cast<unsigned>(pick(0, 1 << 20))); }

}  // namespace braid::cpu
