#pragma once

#include <cstdint>

#include "device/cpu/kernels/block_activation.h"
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
///     to = bias + sum over taps and input channels of weight * input, then residual and
///     activation.
struct GroupedBlock {
  const float* input = nullptr;          ///< the panel's first input channel of the first pixel
  const std::int32_t* pieces = nullptr;  ///< what each pixel reads by the first tap, from there on
  std::int64_t piece_step = 0;           ///< from tap to tap of them
  const std::int32_t* taps = nullptr;    ///< their indices
  std::int64_t tap_count = 0;
  std::int64_t tap_step = 0;        ///< from tap to tap of a row of the input: for sliding blocks
  std::int64_t channels = 0;        ///< input channels of a group
  const float* panel = nullptr;     ///< a vector, or several, for each tap and input channel
  const float* bias = nullptr;      ///< null: 0
  const float* residual = nullptr;  ///< of the first pixel; null: none
  const std::int32_t* residuals = nullptr;  ///< the index of each pixel there
  std::int64_t residual_pitch = 0;
  float* to = nullptr;
  const std::int32_t* places = nullptr;  ///< the index of each pixel there
  std::int64_t pitch = 0;
  BlockActivation activation;
};

/// Adds every element up in one order: of taps and input channels. Blocks that slide along a row of
/// pixels, which read all taps of each row of taps, spread an input channel once for all of those
/// that read it; their order is of rows of taps, input channels and taps of a row.
using RunGroupedBlock = void (*)(const GroupedBlock&);

inline constexpr int kMostGroupedPixels = 10;
inline constexpr int kWidestGrouped = 64;
inline constexpr std::int64_t kSlidingTaps = 3;
inline constexpr std::int64_t kLeastSlidingPixels = 4;
inline constexpr std::int64_t kMostSlidingPixels = 8;

/// Blocks of one shape by the number of their pixels.
struct GroupedBlocks {
  RunGroupedBlock of[kMostGroupedPixels + 1] = {};
  std::int64_t most_pixels = 0;
  /// By the stride less one; null where there are none.
  RunGroupedBlock sliding[2][kMostSlidingPixels + 1] = {};

  bool slide() const { return sliding[0][kMostSlidingPixels] != nullptr; }
};
const GroupedBlocks& grouped_blocks(Isa isa, const GroupedShape& shape);

}  // namespace braid::cpu
