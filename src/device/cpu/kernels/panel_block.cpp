#include "device/cpu/kernels/panel_block.h"

#include <array>
#include <utility>

#include "base/checked.h"
#include "device/cpu/kernels/panel_sums.h"

namespace braid::cpu {
namespace {

template <int Lanes, int Rows, int Vectors, FetchRate Rate>
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
    add_channels<Lanes, Rows, Vectors, Rate>(total, row_at, channels, next,
                                             [&](Vector(&columns)[Vectors])
                                                 __attribute__((always_inline)) {
#pragma GCC unroll 4
                                                   for (int v = 0; v < Vectors; ++v)
                                                     load<Lanes>(columns[v], panel + v * Lanes);
                                                   panel += Vectors * Lanes;
                                                 });
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

template <Isa Set, int Rows, int Vectors, FetchRate Rate>
void run_block(const PanelBlock& block) {
  const auto body = [&]() __attribute__((always_inline)) {
    add_up<static_cast<int>(panel_shape(Set).lanes), Rows, Vectors, Rate>(block);
  };
  run_on<Set>(body);
}

constexpr int kMostVectors = kMostPanelVectors;

template <Isa Set, int Rows, int Vectors, FetchRate Rate>
constexpr RunPanelBlock block_or_null() {
  if constexpr (Rows <= panel_shape(Set).rows_of(Vectors))
    return run_block<Set, Rows, Vectors, Rate>;
  else
    return nullptr;
}

template <Isa Set, FetchRate Rate, int... I>
constexpr auto blocks_of(std::integer_sequence<int, I...>) {
  return std::array{block_or_null<Set, I / kMostVectors + 1, I % kMostVectors + 1, Rate>()...};
}
constexpr auto kSizes = std::make_integer_sequence<int, kMostBlockRows * kMostVectors>{};

template <Isa Set>
RunPanelBlock block_for(std::size_t size, FetchRate rate) {
  static constexpr auto slow = blocks_of<Set, FetchRate::Slow>(kSizes);
  static constexpr auto medium = blocks_of<Set, FetchRate::Medium>(kSizes);
  static constexpr auto fast = blocks_of<Set, FetchRate::Fast>(kSizes);
  if (rate == FetchRate::Slow) return slow[size];
  return rate == FetchRate::Medium ? medium[size] : fast[size];
}

}  // namespace

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

std::int64_t bytes_fetched(FetchRate rate, std::int64_t channels) {
  const std::int64_t step = rate == FetchRate::Slow ? kFetchStep : kChannelsTogether;
  return channels / step * (static_cast<std::int64_t>(rate) * step / kFetchStep) * kLineBytes;
}

FetchRate fetch_rate(std::int64_t bytes, std::int64_t blocks, std::int64_t channels) {
  for (const FetchRate rate : {FetchRate::Slow, FetchRate::Medium})
    if (blocks * bytes_fetched(rate, channels) >= bytes) return rate;
  return FetchRate::Fast;
}

RunPanelBlock panel_block(Isa isa, std::int64_t rows, std::int64_t vectors, FetchRate rate) {
  const auto size = static_cast<std::size_t>((rows - 1) * kMostVectors + vectors - 1);
  return made_for(isa, [&]<Isa Set>() { return block_for<Set>(size, rate); });
}

}  // namespace braid::cpu
