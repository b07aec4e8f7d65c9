#pragma once

#include <cstdint>

#include "device/cpu/kernels/block_activation.h"
#include "device/cpu/machine/isa.h"

namespace braid::cpu {

/// Weights of depthwise convolutions lie in lines of this many channels: tap after tap of the
/// first channels, then of the next ones.
inline constexpr std::int64_t kWeightLine = 16;

/// Some pixels of a row of the output, or of two rows, and some vectors of their channels:
///     to = bias + sum over taps of weight * input, then residual and activation.
/// Taps lie in rows of the input. Two rows of the output read one row of the input more than one
/// does: the second begins where the first has its second row of taps.
struct DepthwiseBlock {
  const float* const* rows = nullptr;     ///< where each row of the input begins
  const float* const* weights = nullptr;  ///< of the first tap of each row, from channel 0 on
  std::int64_t tap_rows = 0;              ///< of a row of the output
  std::int64_t weight_line = 0;           ///< from line to line of the weights
  std::int64_t first_input = 0;           ///< what is read first of each row, from its beginning
  std::int64_t tap_step = 0;              ///< from tap to tap of the input
  std::int64_t pixel_step = 0;            ///< from pixel to pixel of the input
  /// Taps of every pixel, from `first_tap` on. In a sliding block, inputs that the first pixel's
  /// first tap to the last pixel's last tap read, from `first_tap` on; the others are padding.
  std::int64_t first_tap = 0;
  std::int64_t taps = 0;
  std::int64_t channel = 0;         ///< the first one
  std::int64_t weight_channel = 0;  ///< the same among the weights
  std::int64_t vectors = 0;         ///< of channels
  const float* bias = nullptr;      ///< from channel 0 on; null: 0
  const float* residual = nullptr;  ///< of the first pixel, from channel 0 on; null: none
  std::int64_t residual_step = 0;
  std::int64_t residual_row = 0;  ///< from row to row
  float* to = nullptr;            ///< of the first pixel and `channel`
  std::int64_t to_step = 0;
  std::int64_t to_row = 0;  ///< from row to row
  BlockActivation activation;
};

/// Adds every element up in the order of rows and taps, by the same operations in every block of
/// an instruction set.
using RunDepthwiseBlock = void (*)(const DepthwiseBlock&);

inline constexpr std::int64_t kMostDepthwisePixels = 8;

/// Lanes of the widest vector.
std::int64_t depthwise_lanes(Isa isa);
/// For vectors of that many lanes (the widest, or 8, 4 or 1 below that), any taps, and that many
/// pixels that read the same taps: 1, 4 or 8.
RunDepthwiseBlock depthwise_block(Isa isa, std::int64_t lanes, std::int64_t pixels);

/// Blocks of the widest vectors for taps side by side, which load an input once for all taps of a
/// row that read it. Pixels may read padding.
struct SlidingBlocks {
  RunDepthwiseBlock of[kMostDepthwisePixels + 1] = {};  ///< by the number of pixels
  std::int64_t most_pixels = 0;                         ///< 0: there are none
  std::int64_t channels = 0;                            ///< that are loaded together
};
/// `stride` is that of columns.
const SlidingBlocks& sliding_blocks(Isa isa, std::int64_t taps, std::int64_t stride);
/// The same for two rows of the output, which load an input once for both; for strides of 1.
const SlidingBlocks& sliding_pair_blocks(Isa isa, std::int64_t taps);

}  // namespace braid::cpu
