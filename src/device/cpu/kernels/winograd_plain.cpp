#include "device/cpu/kernels/winograd_plain.h"

#include <algorithm>

#include "device/cpu/kernels/panel_block.h"
#include "device/cpu/machine/isa.h"

namespace braid::cpu {
namespace {

constexpr int kTapsOfRow = 3;
constexpr std::int64_t kTapsOfFilter = kTapsOfRow * kTapsOfRow;
/// Channels whose pixels are brought side by side at a time.
constexpr std::int64_t kChannelsAtOnce = 64;

/// The sums of a row of a tile.
template <int Outputs>
struct SumsOfRow {
  using Vector [[gnu::vector_size(Outputs * 8)]] = double;
  using Unaligned [[gnu::vector_size(Outputs * 8), gnu::aligned(8), gnu::may_alias]] = double;
};

/// Adds some channels to the sums of a column.
template <int Outputs>
[[gnu::always_inline]] inline void add_channels(const double* inputs, const float* weights,
                                                std::int64_t channels, double* sums) {
  using Unaligned = typename SumsOfRow<Outputs>::Unaligned;
  constexpr int width = Outputs + 2;
  typename SumsOfRow<Outputs>::Vector rows[Outputs];
  for (int y = 0; y < Outputs; ++y)
    rows[y] = *reinterpret_cast<const Unaligned*>(sums + y * Outputs);
  for (std::int64_t c = 0; c < channels; ++c, inputs += width * width, weights += kTapsOfFilter)
#pragma GCC unroll 3
    for (int ky = 0; ky < kTapsOfRow; ++ky)
#pragma GCC unroll 3
      for (int kx = 0; kx < kTapsOfRow; ++kx)
#pragma GCC unroll 4
        for (int y = 0; y < Outputs; ++y)
          rows[y] += *reinterpret_cast<const Unaligned*>(inputs + (y + ky) * width + kx) *
                     static_cast<double>(weights[ky * kTapsOfRow + kx]);
  for (int y = 0; y < Outputs; ++y) *reinterpret_cast<Unaligned*>(sums + y * Outputs) = rows[y];
}

template <int Outputs>
[[gnu::always_inline]] inline void sum_tile(const PlainTile& tile) {
  constexpr int pixels = (Outputs + 2) * (Outputs + 2);
  double inputs[kChannelsAtOnce * pixels];
  float weights[kChannelsAtOnce * kTapsOfFilter];
  double sums[kWidestPanel * Outputs * Outputs] = {};
  for (std::int64_t first = 0; first < tile.channels; first += kChannelsAtOnce) {
    const std::int64_t count = std::min(kChannelsAtOnce, tile.channels - first);
    for (std::int64_t i = 0; i < pixels; ++i)
      for (std::int64_t c = 0; c < count; ++c)
        inputs[c * pixels + i] = static_cast<double>(tile.pixels[i][first + c]);
    for (std::int64_t n = 0; n < tile.columns; ++n) {
      tile.weights(n, {first, first + count}, weights);
      add_channels<Outputs>(inputs, weights, count, sums + n * Outputs * Outputs);
    }
  }
  for (std::int64_t i = 0; i < Outputs * Outputs; ++i)
    for (std::int64_t n = 0; n < tile.columns; ++n)
      tile.to[i * kWidestPanel + n] = static_cast<float>(sums[n * Outputs * Outputs + i]);
}

}  // namespace

void sum_plainly(const PlainTile& tile) {
  if (tile.outputs == 4)
    on_best_isa([&]() __attribute__((always_inline)) { sum_tile<4>(tile); });
  else
    on_best_isa([&]() __attribute__((always_inline)) { sum_tile<2>(tile); });
}

}  // namespace braid::cpu
