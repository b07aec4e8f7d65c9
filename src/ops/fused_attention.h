#pragma once

#include "ops/op.h"

namespace braid {

/// What is done to the scores after scaling by one of the masks.
struct AttentionMask {
  enum class Kind {
    Add,   ///< floats are added to the scores
    Keep,  ///< where the mask is false, scores become `fill`
    Drop,  ///< where it is true
  };
  Kind kind = Kind::Add;
  float fill = 0;

  bool operator==(const AttentionMask&) const = default;
};

/// FusedAttention(q, k, v, mask1, …): softmax(mask(scale * q x k)) x v, the scores of which are
/// never written as a whole. Devices make it when they lower a graph.
///
///     q [batch, rows, depth]   k [batch, depth, keys]   v [batch, keys, columns]
///
/// The softmax goes along the keys. Masks are applied in their order, and broadcast to the scores
/// [batch, rows, keys]; so do the leading axes of v to `batch`, which is any number of axes.
struct FusedAttention {
  static constexpr std::size_t kOperands = 3;  ///< inputs before the masks
  static constexpr std::size_t kMostMasks = 4;

  Dims batch;
  std::int64_t rows = 0;
  std::int64_t depth = 0;
  std::int64_t keys = 0;
  std::int64_t columns = 0;
  float scale = 1;
  std::vector<AttentionMask> masks = {};
  bool undefined_is_zero = false;  ///< a row of shares that are NaN becomes zeros

  Dims scores() const;
  bool operator==(const FusedAttention&) const = default;
};

/// Throws Model, saying what does not fit.
FusedAttention fused_attention(const OpCall& call);
/// The attributes from which that reads scale, masks and what becomes of NaN.
Attributes fused_attention_attributes(const FusedAttention& attention);

}  // namespace braid
