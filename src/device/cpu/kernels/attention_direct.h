#pragma once

#include <cstdint>

#include "device/cpu/machine/isa.h"

namespace braid::cpu {

/// The products of attention for up to so many rows of queries read keys and values where they lie:
/// to pack them would take longer than to multiply.
inline constexpr std::int64_t kMostDirectRows = 8;

/// Rows whose elements follow one another; from one to the next it is `step` elements.
struct DenseRows {
  const float* first = nullptr;
  std::int64_t step = 0;
};

/// to[r][k] = queries[r] * keys[k], each a sum over `depth` elements.
struct DirectScores {
  DenseRows queries;
  std::int64_t rows = 0;
  DenseRows keys;
  std::int64_t key_count = 0;
  std::int64_t depth = 0;
  float* to = nullptr;
  std::int64_t to_step = 0;
};
void make_direct_scores(Isa isa, const DirectScores& scores);

/// to[r] = the sum over k of shares[r][k] * values[k], which have `columns` elements.
struct DirectSums {
  DenseRows shares;
  std::int64_t rows = 0;
  DenseRows values;
  std::int64_t key_count = 0;
  std::int64_t columns = 0;
  float* to = nullptr;
  std::int64_t to_step = 0;
};
void make_direct_sums(Isa isa, const DirectSums& sums);

}  // namespace braid::cpu
