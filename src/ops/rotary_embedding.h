#pragma once

#include "ops/op.h"

namespace braid {

/// RotaryEmbedding(x, cosines, sines, positions?): x is [batch, heads, length, size], or
/// [batch, length, heads * size].
struct Rotation {
  std::int64_t batch = 0;
  std::int64_t heads = 0;
  std::int64_t length = 0;
  std::int64_t size = 0;
  std::int64_t rotated = 0;  ///< elements of a head, from the first on; even
  bool heads_inside = false;
  bool interleaved = false;  ///< pairs are neighbours; else their elements are half a head apart
};

/// Throws Model, saying what does not fit.
Rotation rotation_of(const OpCall& call);

/// The position; throws Model if the cache does not have it.
std::int64_t checked_position(const TensorType& x, std::int64_t position, std::int64_t cached);

}  // namespace braid
