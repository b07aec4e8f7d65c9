#include "device/cpu/kernels/attention_hidden.h"

#include <cmath>

namespace braid::cpu {
namespace {

/// In bits, which compilers make vector code of.
bool are_finite(const float* from, std::int64_t count) {
  constexpr std::uint32_t exponent = 0x7f800000;
  bool infinite = false;
  on_best_isa([&]() __attribute__((always_inline)) {
    std::uint32_t found = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, from[i]);
      found |= (bits & exponent) == exponent ? 1U : 0U;
    }
    infinite = found != 0;
  });
  return !infinite;
}

float sum_of_seen(const float* shares, const float* values, std::int64_t step, std::int64_t keys) {
  double sum = 0;
  for (std::int64_t key = 0; key < keys; ++key)
    if (shares[key] != 0)
      sum += static_cast<double>(shares[key]) * static_cast<double>(values[key * step]);
  return static_cast<float>(sum);
}

}  // namespace

void leave_hidden_out(const WeighedValues& weighed) {
  for (std::int64_t row = 0; row < weighed.rows; ++row) {
    const float* shares = weighed.shares.first + row * weighed.shares.step;
    float* sums = weighed.sums + row * weighed.sum_row;
    if (are_finite(sums, weighed.columns) || std::isnan(shares[0])) continue;
    for (std::int64_t column = 0; column < weighed.columns; ++column)
      if (!std::isfinite(sums[column]))
        sums[column] = sum_of_seen(shares, weighed.values + column * weighed.value_column,
                                   weighed.value_row, weighed.keys);
  }
}

}  // namespace braid::cpu
