#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ops/conv.h"

namespace braid {

/// A Conv along one axis of a ConvTranspose, which makes outputs that are a stride apart, or all.
struct ConvAlongAxis {
  std::int64_t first_tap = 0;
  std::int64_t taps =
      1;  ///< `phases` * taps from the first one on, those beyond the last are zeros
  std::int64_t phases = 1;  ///< that it makes, each in channels of its own
  std::int64_t dilation = 1;
  std::int64_t pad_begin = 0;
  std::int64_t pad_end = 0;

  bool skips_inputs() const { return pad_begin < 0 || pad_end < 0; }
};

using ConvAxes = std::vector<ConvAlongAxis>;

/// The phases of all axes.
std::int64_t phases_of(const ConvAxes& axes);

/// Convolutions that do the work of a ConvTranspose: one, or one for each phase, those of the last
/// axis varying fastest.
struct TransposedPhases {
  std::vector<ConvAxes> convs;
  Dims begin;  ///< of the outputs among all that are made
};

/// Nothing if no Conv can do it, or most of its taps would be zeros.
std::optional<TransposedPhases> transposed_phases(const ConvTransposeGeometry& geometry);

}  // namespace braid
