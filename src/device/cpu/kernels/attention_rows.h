#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "device/cpu/machine/isa.h"
#include "ops/fused_attention.h"

namespace braid::cpu {

/// A mask as it lies in memory, from the first row that is worked on; a step of 0 repeats an
/// element.
struct MaskRows {
  AttentionMask mask;
  const std::byte* from = nullptr;  ///< floats to add, or truths
  std::int64_t row_step = 0;        ///< in elements
  std::int64_t key_step = 0;        ///< 0 or 1
};

/// Rows of scores, each of which becomes shares of 1.
struct ScoreRows {
  float* scores = nullptr;
  std::int64_t rows = 0;
  std::int64_t keys = 0;
  /// From row to row: the keys filled up to whole vectors, or more. What lies between is written.
  std::int64_t pitch = 0;
  float scale = 1;
  float cap = 0;
  std::span<const MaskRows> masks = {};
  AttentionWindow window = {};
  std::int64_t first_row = 0;  ///< by which the window is placed
  bool undefined_is_zero = false;
  bool hidden_is_zero = false;
};

/// Scales, caps, masks and hides the scores and takes the softmax of every row. A row with NaN or
/// infinity becomes NaN, or zeros if undefined ones are to be; so does a row with nothing but
/// negative infinities, which also becomes zeros if hidden ones are to be.
void make_shares(Isa isa, const ScoreRows& rows);

}  // namespace braid::cpu
