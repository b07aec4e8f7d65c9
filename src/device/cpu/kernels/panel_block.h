#pragma once

#include <cstddef>
#include <cstdint>

#include "device/cpu/machine/isa.h"

namespace braid::cpu {

inline constexpr std::int64_t kMostPanelVectors = 4;

/// How a product is cut into blocks so that the sums of one fill the registers of an instruction
/// set: a panel has columns in vectors of `lanes` floats, a block some rows of `a` under one panel.
///
///     panel:      |<- lanes ->|<- lanes ->|        a row of `a`, element k, times
///     a, row 0    [ sums      | sums      ]        the panel's vectors for k, is
///     a, row 1    [ sums      | sums      ]        added to the sums of that row
///
/// Where there are only a few rows, panels of more vectors make sums enough to keep the processor
/// busy while each waits for its last addition.
struct PanelShape {
  std::int64_t lanes = 0;
  std::int64_t most_vectors = 0;                   ///< of a panel, if there are more rows
  std::int64_t most_rows[kMostPanelVectors] = {};  ///< of a block, by its vectors

  constexpr std::int64_t widest() const { return lanes * most_vectors; }
  /// The most vectors of a panel for a product of that many rows.
  constexpr std::int64_t vectors_for(std::int64_t rows) const {
    return rows <= rows_of(kMostPanelVectors) ? kMostPanelVectors : most_vectors;
  }
  constexpr std::int64_t rows_of(std::int64_t vectors) const {
    return most_rows[static_cast<std::size_t>(vectors - 1)];
  }
};

/// Beside the sums there is room in registers for a panel's vectors and an element of `a`; without
/// FMA also for a product. More rows than ten leave too few registers for the pointers to them.
inline constexpr PanelShape kAvx512Shape = {16, 4, {10, 10, 8, 6}};
inline constexpr PanelShape kAvx2Shape = {8, 2, {10, 6, 2, 2}};
inline constexpr PanelShape kBaselineShape = {4, 2, {8, 5, 2, 2}};
constexpr const PanelShape& panel_shape(Isa isa) {
  switch (isa) {
    case Isa::Avx512:
      return kAvx512Shape;
    case Isa::Avx2:
      return kAvx2Shape;
    case Isa::Baseline:
      break;
  }
  return kBaselineShape;
}
/// Columns of a panel for products of that many rows: narrower ones where they make two halves more
/// even.
std::int64_t panel_width(const PanelShape& shape, std::int64_t rows, std::int64_t columns);

/// Over all shapes.
inline constexpr std::int64_t kWidestPanel = kAvx512Shape.widest();
inline constexpr std::int64_t kMostBlockRows = 10;

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

/// Adds every element up in the order of taps and channels.
using RunPanelBlock = void (*)(const PanelBlock&);

inline constexpr std::int64_t kLineBytes = 64;
inline constexpr std::int64_t kFetchStep = 16;
/// How many lines of what comes next a block fetches for every kFetchStep channels. Fetching faster
/// than need be makes the loads of the present panel wait.
enum class FetchRate { Slow = 1, Medium = 4, Fast = 8 };
/// What a block of that many channels fetches.
std::int64_t bytes_fetched(FetchRate rate, std::int64_t channels);
/// The slowest rate at which so many blocks fetch these bytes, or the fastest.
FetchRate fetch_rate(std::int64_t bytes, std::int64_t blocks, std::int64_t channels);

/// Asks for the lines of a row that is needed once the sums are made.
inline void fetch_row(const float* row, std::int64_t width) {
  constexpr std::int64_t line = kLineBytes / std::int64_t{sizeof(float)};
  for (std::int64_t i = 0; i < width; i += line) __builtin_prefetch(row + i, 0, 2);
}

RunPanelBlock panel_block(Isa isa, std::int64_t rows, std::int64_t vectors, FetchRate rate);

}  // namespace braid::cpu
