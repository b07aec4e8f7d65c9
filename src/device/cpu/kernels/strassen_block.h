#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "device/cpu/kernels/panel_block.h"
#include "device/cpu/machine/isa.h"

namespace braid::cpu {

/// What becomes of a block's products: to = relu(products + begin + bias + more).
struct StrassenOutput {
  const float* const* begin = nullptr;  ///< of each row; null: 0
  const float* bias = nullptr;          ///< null: 0
  const float* const* more = nullptr;   ///< of each row; null: 0
  bool relu = false;
  float* const* to = nullptr;  ///< of each row; null: there is no such output
  /// A vector that becomes NaN, in one element or another, if products + begin is NaN or infinite;
  /// null: nobody asks.
  float* not_finite = nullptr;
};

/// A few rows times a panel, or times a sum of panels that is made in passing: `panel` - `minus` +
/// `plus`. The products go to one or two places.
struct StrassenBlock {
  const float* const* rows = nullptr;
  std::int64_t depth = 0;  ///< elements of a row
  const float* panel = nullptr;
  const float* minus = nullptr;  ///< null: the panel as it is
  const float* plus = nullptr;   ///< null: nothing
  float* made = nullptr;         ///< where the sum is kept, which may be `minus`
  std::array<StrassenOutput, 2> outputs;
  const std::byte* next = nullptr;  ///< is fetched meanwhile
};

/// How many panels are added up.
enum class StrassenPanels { One, Two, Three };

using RunStrassenBlock = void (*)(const StrassenBlock&);
/// For the rows and vectors of a panel_shape(); for several panels, as many rows as it has at most.
RunStrassenBlock strassen_block(Isa isa, std::int64_t rows, std::int64_t vectors,
                                StrassenPanels panels);

/// Of all its blocks. Panels of narrow vectors are smaller.
constexpr FetchRate strassen_fetch_rate(Isa isa) {
  return isa == Isa::Avx512 ? FetchRate::Fast : FetchRate::Medium;
}

/// Two rows of the left operand, each in two halves, and their four sums, which go to
/// `to`, `to + stride`, …:
///
///     s1 = a21 + a22     s2 = s1 - a11     s3 = a11 - a21     s4 = a12 - s2
struct StrassenRows {
  const float* top = nullptr;     ///< a11, then a12
  const float* bottom = nullptr;  ///< a21, then a22
  std::int64_t half = 0;          ///< elements of each; at least a vector
  float* to = nullptr;
  std::int64_t stride = 0;
  float largest_top = 0;  ///< is set: the largest absolute value, NaN left out
  float largest_bottom = 0;
};

using RunStrassenRows = void (*)(StrassenRows&);
RunStrassenRows strassen_rows(Isa isa);

}  // namespace braid::cpu
