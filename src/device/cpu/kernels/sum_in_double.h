#pragma once

#include <cstdint>

namespace braid::cpu {

/// The sum of f(x) over all x in double, always in one order: so many are added up side by side.
template <class F>
[[gnu::always_inline]] inline double sum_of(const float* from, std::int64_t count, const F& f) {
  constexpr std::int64_t side_by_side = 16;
  double sums[side_by_side] = {};
  std::int64_t i = 0;
  for (; i + side_by_side <= count; i += side_by_side)
#pragma GCC unroll 16
    for (std::int64_t j = 0; j < side_by_side; ++j) sums[j] += f(from[i + j]);
  for (; i < count; ++i) sums[0] += f(from[i]);
  double sum = 0;
  for (const double part : sums) sum += part;
  return sum;
}

}  // namespace braid::cpu
