#pragma once

#include <cstddef>
#include <cstdint>

namespace braid::cpu {

/// Columns of a panel are counted in vectors of so many floats.
inline constexpr std::int64_t kPanelLanes = 16;
inline constexpr std::int64_t kMostPanelVectors = 4;
/// Rows of a block: with four vectors each, they fill the registers of AVX-512.
inline constexpr std::int64_t kMostBlockRows = 6;

/// to += rows x panel for a few rows and the columns of one panel; to = rows x panel if it is
/// `first`. A row consists of `taps` pieces of `channels` elements, which lie apart; the panel has
/// its columns for one element after the other.
struct PanelBlock {
  const float* const* pieces = nullptr;  ///< of all rows for the first tap, then for the next
  std::int64_t taps = 1;
  std::int64_t channels = 0;
  const float* panel = nullptr;
  float* to = nullptr;
  std::int64_t to_stride = 0;
  bool first = true;
  const std::byte* next = nullptr;  ///< is fetched meanwhile
};

/// Adds every element up in the order of taps and channels. Blocks of more than one row need
/// AVX-512.
using RunPanelBlock = void (*)(const PanelBlock&);
struct PanelBlockKind {
  RunPanelBlock run = nullptr;
  std::int64_t lines = 1;  ///< of 64 bytes that are fetched for every `kFetchStep` channels
};
inline constexpr std::int64_t kFetchStep = 4;

/// `blocks` of the size follow one another on the same panel.
PanelBlockKind panel_block(std::int64_t rows, std::int64_t vectors, std::int64_t blocks);

}  // namespace braid::cpu
