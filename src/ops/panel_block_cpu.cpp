#include "ops/panel_block_cpu.h"

#include <array>
#include <utility>

#include "device/cpu/isa.h"

namespace braid::cpu {
namespace {

constexpr int kLanes = kPanelLanes;
constexpr int kVectors = kMostPanelVectors;

using Vector [[gnu::vector_size(64)]] = float;
using UnalignedVector [[gnu::vector_size(64), gnu::aligned(4), gnu::may_alias]] = float;

// By reference: vectors as arguments are passed otherwise from one instruction set to another.
[[gnu::always_inline]] inline void load(Vector& vector, const float* from) {
  vector = *reinterpret_cast<const UnalignedVector*>(from);
}
[[gnu::always_inline]] inline void store(const Vector& vector, float* to) {
  *reinterpret_cast<UnalignedVector*>(to) = vector;
}

template <int Rows, int Vectors, int Lines>
[[gnu::always_inline]] inline void add_up(const PanelBlock& block) {
  // A store of a vector might change the block, as far as the compiler knows.
  float* to[Rows];
#pragma GCC unroll 10
  for (int row = 0; row < Rows; ++row) to[row] = block.to[row];
  Vector total[Rows][Vectors];
#pragma GCC unroll 10
  for (int row = 0; row < Rows; ++row)
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) {
      total[row][v] = Vector{};
      if (!block.first)
        load(total[row][v], to[row] + v * kLanes);
      else if (block.bias != nullptr)
        load(total[row][v], block.bias + v * kLanes);
    }
  const std::int64_t channels = block.channels;
  const std::byte* next = block.next;
  const float* const* pieces = block.pieces;
  for (std::int64_t tap = 0; tap < block.taps; ++tap, pieces += Rows) {
    const float* panel = block.panels[tap];
    const float* row_at[Rows];
#pragma GCC unroll 10
    for (int row = 0; row < Rows; ++row) row_at[row] = pieces[row];
    const auto step = [&](std::int64_t c) __attribute__((always_inline)) {
      Vector columns[Vectors];
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v) load(columns[v], panel + v * kLanes);
      panel += Vectors * kLanes;
#pragma GCC unroll 10
      for (int row = 0; row < Rows; ++row)
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v) total[row][v] += columns[v] * row_at[row][c];
    };
    std::int64_t c = 0;
    for (; c + kFetchStep <= channels; c += kFetchStep) {
#pragma GCC unroll 2
      for (int line = 0; line < Lines; ++line) __builtin_prefetch(next + line * kLineBytes, 0, 2);
      next += Lines * kLineBytes;
#pragma GCC unroll 4
      for (int i = 0; i < kFetchStep; ++i) step(c + i);
    }
    for (; c < channels; ++c) step(c);
  }
  if (block.residual != nullptr)
#pragma GCC unroll 10
    for (int row = 0; row < Rows; ++row)
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v) {
        Vector more;
        load(more, block.residual[row] + v * kLanes);
        total[row][v] += more;
      }
  if (block.relu)
#pragma GCC unroll 10
    for (int row = 0; row < Rows; ++row)
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v)
        total[row][v] = total[row][v] < Vector{} ? Vector{} : total[row][v];
#pragma GCC unroll 10
  for (int row = 0; row < Rows; ++row) to[row] = block.to[row];
#pragma GCC unroll 10
  for (int row = 0; row < Rows; ++row)
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) store(total[row][v], to[row] + v * kLanes);
}

/// One row runs at the speed of memory on any processor.
template <int Rows, int Vectors, int Lines>
void run_block(const PanelBlock& block) {
  const auto body = [&]() __attribute__((always_inline)) { add_up<Rows, Vectors, Lines>(block); };
  if constexpr (Rows == 1)
    on_best_isa(body);
  else
    run_avx512(body);
}

template <int Rows, int Vectors, int Lines>
constexpr RunPanelBlock block_or_null() {
  if constexpr (Rows <= most_block_rows(Vectors))
    return run_block<Rows, Vectors, Lines>;
  else
    return nullptr;
}

template <int Lines, int... I>
constexpr auto blocks_of(std::integer_sequence<int, I...>) {
  return std::array{block_or_null<I / kVectors + 1, I % kVectors + 1, Lines>()...};
}
constexpr auto kSizes = std::make_integer_sequence<int, kMostBlockRows * kVectors>{};
constexpr auto kOneLine = blocks_of<1>(kSizes);
constexpr auto kTwoLines = blocks_of<2>(kSizes);

}  // namespace

RunPanelBlock panel_block(std::int64_t rows, std::int64_t vectors, std::int64_t lines) {
  const auto size = static_cast<std::size_t>((rows - 1) * kVectors + vectors - 1);
  return lines == 1 ? kOneLine[size] : kTwoLines[size];
}

}  // namespace braid::cpu
