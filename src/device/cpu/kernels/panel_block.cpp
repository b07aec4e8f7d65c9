#include "device/cpu/kernels/panel_block.h"

#include <array>
#include <utility>

#include "base/checked.h"
#include "device/cpu/kernels/registers.h"

namespace braid::cpu {
namespace {

template <int Lanes, int Rows, int Vectors, int Lines>
[[gnu::always_inline]] inline void add_up(const PanelBlock& block) {
  using Vector = typename Register<Lanes>::Vector;
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
        load<Lanes>(total[row][v], to[row] + v * Lanes);
      else if (block.bias != nullptr)
        load<Lanes>(total[row][v], block.bias + v * Lanes);
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
      for (int v = 0; v < Vectors; ++v) load<Lanes>(columns[v], panel + v * Lanes);
      panel += Vectors * Lanes;
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
        load<Lanes>(more, block.residual[row] + v * Lanes);
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
    for (int v = 0; v < Vectors; ++v) store<Lanes>(total[row][v], to[row] + v * Lanes);
}

constexpr const PanelShape& shape_of(Isa isa) {
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

template <Isa Set, int Rows, int Vectors, int Lines>
void run_block(const PanelBlock& block) {
  const auto body = [&]() __attribute__((always_inline)) {
    add_up<static_cast<int>(shape_of(Set).lanes), Rows, Vectors, Lines>(block);
  };
  run_on<Set>(body);
}

constexpr int kMostVectors = kMostPanelVectors;

template <Isa Set, int Rows, int Vectors, int Lines>
constexpr RunPanelBlock block_or_null() {
  if constexpr (Rows <= shape_of(Set).rows_of(Vectors))
    return run_block<Set, Rows, Vectors, Lines>;
  else
    return nullptr;
}

template <Isa Set, int Lines, int... I>
constexpr auto blocks_of(std::integer_sequence<int, I...>) {
  return std::array{block_or_null<Set, I / kMostVectors + 1, I % kMostVectors + 1, Lines>()...};
}
constexpr auto kSizes = std::make_integer_sequence<int, kMostBlockRows * kMostVectors>{};

template <Isa Set>
RunPanelBlock block_for(std::size_t size, std::int64_t lines) {
  static constexpr auto one_line = blocks_of<Set, 1>(kSizes);
  static constexpr auto two_lines = blocks_of<Set, 2>(kSizes);
  return lines == 1 ? one_line[size] : two_lines[size];
}

}  // namespace

const PanelShape& panel_shape(Isa isa) { return shape_of(isa); }

std::int64_t panel_width(const PanelShape& shape, std::int64_t rows, std::int64_t columns) {
  const std::int64_t most = shape.vectors_for(rows);
  const std::int64_t vectors = ceil_div(columns, shape.lanes);
  const auto larger_half = [&](std::int64_t width) {
    return ceil_div(ceil_div(vectors, width), std::int64_t{2}) * width;
  };
  const std::int64_t narrow = most - 1;
  const bool narrower =
      narrow > 2 && vectors >= 2 * narrow && larger_half(narrow) < larger_half(narrow + 1);
  return (narrower ? narrow : most) * shape.lanes;
}

RunPanelBlock panel_block(Isa isa, std::int64_t rows, std::int64_t vectors, std::int64_t lines) {
  const auto size = static_cast<std::size_t>((rows - 1) * kMostVectors + vectors - 1);
  return made_for(isa, [&]<Isa Set>() { return block_for<Set>(size, lines); });
}

}  // namespace braid::cpu
