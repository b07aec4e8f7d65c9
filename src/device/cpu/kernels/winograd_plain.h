#pragma once

#include <cstdint>

#include "base/function_ref.h"
#include "plan/plan.h"

namespace braid::cpu {

/// A tile of outputs x outputs results of a 3 x 3 convolution without any transform, added up in
/// double precision in the order of channels and taps.
struct PlainTile {
  std::int64_t outputs = 0;              ///< 2 or 4
  const float* const* pixels = nullptr;  ///< that the tile reads, row after row
  std::int64_t channels = 0;
  /// Writes the weights of some channels of a column, [channels][3][3].
  FunctionRef<void(std::int64_t column, CutRange channels, float* to)> weights;
  std::int64_t columns = 0;  ///< at most those of a panel
  float* to = nullptr;       ///< [outputs][outputs][kWidestPanel]
};
void sum_plainly(const PlainTile& tile);

}  // namespace braid::cpu
