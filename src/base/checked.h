#pragma once

#include <cstdint>

#include "base/error.h"

namespace braid {

/// 64-bit arithmetic on sizes that throws Quota instead of wrapping.
inline std::int64_t checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) raise(ErrorKind::Quota, "a size does not fit in 64 bits");
  return sum;
}

inline std::int64_t checked_mul(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product))
    raise(ErrorKind::Quota, "a size does not fit in 64 bits");
  return product;
}

inline std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }

}  // namespace braid
