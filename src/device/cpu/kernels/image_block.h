#pragma once

#include <cstdint>

#include "device/cpu/kernels/block_activation.h"
#include "device/cpu/kernels/panel_block.h"

namespace braid::cpu {

/// Blocks of neighbouring output pixels of an image (image_band.h) under one panel (panel_block.h),
/// one block after the other: to += windows x panel; to = bias + windows x panel if it is `first`;
/// then what comes after all sums. The columns of the panel are whole vectors, of which the last
/// one begins at `last_vector`, even if that is within the one before: columns that both have get
/// the same sums twice.
struct ImageBlocks {
  std::int64_t count = 0;
  const float* pieces = nullptr;       ///< from where the taps of the first pixel count
  std::int64_t next_pixel = 0;         ///< from a pixel's pieces to those of the next
  const std::int64_t* taps = nullptr;  ///< where the piece of each tap begins
  std::int64_t tap_count = 0;
  std::int64_t piece = 0;  ///< elements
  const float* panel = nullptr;
  std::int64_t last_vector = 0;
  float* to = nullptr;  ///< of the first pixel
  std::int64_t pitch = 0;
  bool first = true;
  const float* bias = nullptr;      ///< null: 0
  const float* residual = nullptr;  ///< of the first pixel; null: none
  std::int64_t residual_pitch = 0;
  BlockActivation activation;
  const std::byte* next = nullptr;  ///< is fetched meanwhile
};

/// Adds every element up in the order of taps and of a piece's elements.
using RunImageBlocks = void (*)(const ImageBlocks&);

/// For blocks of that many pixels and vectors, as panel_shape() has them.
RunImageBlocks image_blocks(Isa isa, std::int64_t pixels, std::int64_t vectors);

/// Bytes that are fetched in the course of that many blocks.
std::int64_t bytes_fetched(const ImageBlocks& blocks);

}  // namespace braid::cpu
