#pragma once

#include <cstdint>

#include "device/cpu/machine/isa.h"

namespace braid::cpu {

/// How some output channels of a grouped convolution lie in registers.
///
///     one group:     |<- lanes ->|<- lanes ->|     an input channel of the group is spread over
///                    [ group a               ]     all lanes
///
///     woven groups:  |<-    lanes          ->|     an input channel of each group is spread over
///                    [ group a   | group b   ]     the lanes of that group
struct GroupedShape {
  int lanes = 0;
  int vectors = 0;
  int woven = 0;  ///< channels of each of the groups that share a vector; 0: one group

  bool operator==(const GroupedShape&) const = default;
  constexpr int channels() const { return lanes * vectors; }
};

/// The widest panel of so many channels, all of one group, or of several groups that have as many
/// input as output channels. `channels` is a multiple of 4, and so is `group`.
GroupedShape grouped_shape(Isa isa, std::int64_t channels, std::int64_t group, bool may_weave);

/// Some output pixels that read the same taps, and the channels of one panel:
///     to = bias + sum over taps and input channels of weight * input, then residual and Relu.
struct GroupedBlock {
  const float* input = nullptr;          ///< the panel's first input channel of the first pixel
  const std::int32_t* pieces = nullptr;  ///< what each pixel reads by the first tap, from there on
  std::int64_t piece_step = 0;           ///< from tap to tap of them
  const std::int32_t* taps = nullptr;    ///< their indices
  std::int64_t tap_count = 0;
  std::int64_t channels = 0;               ///< input channels of a group
  const float* panel = nullptr;            ///< a vector, or several, for each tap and input channel
  float* const* to = nullptr;              ///< of each pixel
  const float* bias = nullptr;             ///< null: 0
  const float* const* residual = nullptr;  ///< of each pixel; null: none
  bool relu = false;
};

/// Adds every element up in the order of taps and input channels, by the same operations in every
/// block of an instruction set.
using RunGroupedBlock = void (*)(const GroupedBlock&);

inline constexpr int kMostGroupedPixels = 10;
inline constexpr int kWidestGrouped = 64;

/// Blocks of one shape by the number of their pixels less one.
struct GroupedBlocks {
  RunGroupedBlock of[kMostGroupedPixels] = {};
  std::int64_t most_pixels = 0;
};
const GroupedBlocks& grouped_blocks(Isa isa, const GroupedShape& shape);

}  // namespace braid::cpu
