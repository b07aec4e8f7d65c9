#pragma once

#include <cstddef>
#include <cstdint>

namespace braid::cpu {

/// Columns of a panel are counted in vectors of so many floats.
inline constexpr std::int64_t kPanelLanes = 16;
inline constexpr std::int64_t kMostPanelVectors = 4;
/// The most rows of a block, by its vectors: so many that they fill the registers of AVX-512, and
/// that as many pointers to rows find place in others.
inline constexpr std::int64_t kMostBlockRows = 10;
constexpr std::int64_t most_block_rows(std::int64_t vectors) {
  return vectors == 4 ? 6 : vectors == 3 ? 8 : kMostBlockRows;
}

/// to += rows x panel for a few rows and the columns of one panel; to = bias + rows x panel if it
/// is `first`; then what comes after all sums, the residual and Relu. A row consists of `taps`
/// pieces of `channels` elements, which lie apart; the panel has its columns for one element after
/// the other.
struct PanelBlock {
  const float* const* pieces = nullptr;  ///< of all rows for the first tap, then for the next
  std::int64_t taps = 0;
  std::int64_t channels = 0;
  const float* const* panels = nullptr;  ///< of each tap
  float* const* to = nullptr;            ///< of each row
  bool first = true;
  const float* bias = nullptr;             ///< null: 0
  const float* const* residual = nullptr;  ///< of each row; null: none
  bool relu = false;
  const std::byte* next = nullptr;  ///< is fetched meanwhile
};

/// Adds every element up in the order of taps and channels. Blocks of more than one row need
/// AVX-512.
using RunPanelBlock = void (*)(const PanelBlock&);

/// For every `kFetchStep` channels, one or two `lines` of what comes next are fetched. Fetching
/// fast makes the loads of the present panel wait.
inline constexpr std::int64_t kFetchStep = 4;
inline constexpr std::int64_t kLineBytes = 64;
RunPanelBlock panel_block(std::int64_t rows, std::int64_t vectors, std::int64_t lines);

}  // namespace braid::cpu
