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

/// The keys that a row sees by its place: from `row + offset - before` to `row + offset + after`,
/// both included. -1: there is no end on that side.
struct AttentionWindow {
  std::int64_t offset = 0;
  std::int64_t before = -1;
  std::int64_t after = -1;

  bool hides() const { return before >= 0 || after >= 0; }
  /// Keys that come too early for the row, out of so many.
  std::int64_t first(std::int64_t row, std::int64_t keys) const;
  /// The end of those that come early enough.
  std::int64_t end(std::int64_t row, std::int64_t keys) const;
  bool operator==(const AttentionWindow&) const = default;
};

/// FusedAttention(q, k, v, mask1, …): softmax(hide(mask(cap(scale * q x k)))) x v, the scores of
/// which are never written as a whole. Devices make it when they lower a graph.
///
///     q [batch, rows, depth]   k [batch, depth, keys]   v [batch, keys, columns]
///
/// The softmax goes along the keys. Masks are applied in their order, and broadcast to the scores
/// [batch, rows, keys]; so do the leading axes of v to `batch`, which is any number of axes. What
/// the window hides gets the score minus infinity, whatever it was.
struct FusedAttention {
  static constexpr std::size_t kOperands = 3;  ///< inputs before the masks
  static constexpr std::size_t kMostMasks = 4;

  Dims batch;
  std::int64_t rows = 0;
  std::int64_t depth = 0;
  std::int64_t keys = 0;
  std::int64_t columns = 0;
  bool keys_by_rows = false;  ///< k is [batch, keys, depth]
  float scale = 1;
  float cap = 0;  ///< scores x become cap * tanh(x / cap); 0: they stay
  std::vector<AttentionMask> masks = {};
  AttentionWindow window = {};     ///< one that hides keys needs `skips_hidden`
  bool undefined_is_zero = false;  ///< a row of shares that are NaN becomes zeros
  /// Of keys whose share is 0 not even a value that is NaN or infinite counts, and a row whose
  /// scores are all minus infinity becomes zeros.
  bool skips_hidden = false;

  Dims scores() const;
  bool operator==(const FusedAttention&) const = default;
};

/// Throws Model, saying what does not fit.
FusedAttention fused_attention(const OpCall& call);
/// The attributes from which that reads all but shapes.
Attributes fused_attention_attributes(const FusedAttention& attention);

}  // namespace braid
