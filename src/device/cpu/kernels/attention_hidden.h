#pragma once

#include <cstdint>

#include "device/cpu/kernels/attention_direct.h"

namespace braid::cpu {

/// Rows of shares and what they became when all values were multiplied by them.
struct WeighedValues {
  DenseRows shares;
  std::int64_t rows = 0;
  const float* values = nullptr;
  std::int64_t value_row = 0;     ///< elements from the value of a key to the next key's
  std::int64_t value_column = 0;  ///< and inside a value
  std::int64_t keys = 0;
  std::int64_t columns = 0;
  float* sums = nullptr;
  std::int64_t sum_row = 0;
};

/// Makes those sums again that are NaN or infinite, without the values of keys whose share is 0:
/// zero times infinity is NaN, but nothing may be known of what is hidden. No other bit changes.
void leave_hidden_out(const WeighedValues& weighed);

}  // namespace braid::cpu
