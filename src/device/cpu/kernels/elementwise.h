#pragma once

#include <cstdint>
#include <string_view>

namespace braid::cpu {

/// Rows of one elementwise step: to[r * to_row + i] = f(a[r * a_row + i * a_step], b[…]). Steps are
/// 0 or 1; `to` overlaps nothing.
struct Block {
  const float* a = nullptr;
  const float* b = nullptr;  ///< of steps with two operands
  std::int64_t a_row = 0;
  std::int64_t b_row = 0;
  std::int64_t a_step = 1;
  std::int64_t b_step = 1;
  float* to = nullptr;
  std::int64_t rows = 1;
  std::int64_t count = 0;
  float alpha = 0;
  float beta = 0;
  std::int64_t to_row = 0;  ///< 0: rows follow one another
};

/// An element's bits depend on its operands alone, not on the block that it is in.
using BlockFunction = void (*)(const Block&);

/// The function of a step of a Chain (ops/chain.h), of which every kind has one, or "Clip", which
/// has its bounds in alpha and beta.
BlockFunction block_function(std::string_view step);

}  // namespace braid::cpu
