#include "device/cpu/kernels/depthwise_block.h"

#include <utility>

#include "device/cpu/kernels/registers.h"

namespace braid::cpu {
namespace {

constexpr int lanes_of(Isa set) { return set == Isa::Avx512 ? 16 : set == Isa::Avx2 ? 8 : 4; }

/// Sums of some rows of pixels and vectors of their channels.
template <int Lanes, int Rows, int Pixels, int Vectors>
struct Sums {
  typename Register<Lanes>::Vector of[Rows][Pixels][Vectors];
};

template <int Lanes, int Rows, int Pixels, int Vectors>
[[gnu::always_inline]] inline void begin(Sums<Lanes, Rows, Pixels, Vectors>& sums,
                                         const DepthwiseBlock& block, std::int64_t channel) {
#pragma GCC unroll 4
  for (int v = 0; v < Vectors; ++v) {
    typename Register<Lanes>::Vector first{};
    if (block.bias != nullptr) load<Lanes>(first, block.bias + channel + v * Lanes);
#pragma GCC unroll 2
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 8
      for (int p = 0; p < Pixels; ++p) sums.of[r][p][v] = first;
  }
}

/// One row of pixels.
template <int Lanes, int Pixels, int Vectors>
[[gnu::always_inline]] inline void end_row(
    typename Register<Lanes>::Vector (&sums)[Pixels][Vectors], const DepthwiseBlock& block,
    const float* residual, float* to) {
  using Vector = typename Register<Lanes>::Vector;
  if (residual != nullptr)
#pragma GCC unroll 8
    for (int p = 0; p < Pixels; ++p)
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v) {
        Vector more;
        load<Lanes>(more, residual + p * block.residual_step + v * Lanes);
        sums[p][v] += more;
      }
  activate_registers<Lanes>(sums, block.activation);
  const std::int64_t step = block.to_step;
#pragma GCC unroll 8
  for (int p = 0; p < Pixels; ++p)
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) store<Lanes>(sums[p][v], to + p * step + v * Lanes);
}

template <int Lanes, int Rows, int Pixels, int Vectors>
[[gnu::always_inline]] inline void end(Sums<Lanes, Rows, Pixels, Vectors>& sums,
                                       const DepthwiseBlock& block, std::int64_t channel) {
  float* to = block.to + (channel - block.channel);
  const float* residual = block.residual != nullptr ? block.residual + channel : nullptr;
  end_row<Lanes>(sums.of[0], block, residual, to);
  if constexpr (Rows > 1)
    end_row<Lanes>(sums.of[1], block, residual != nullptr ? residual + block.residual_row : nullptr,
                   to + block.to_row);
}

/// Where the weights of a channel lie from those of channel 0.
[[gnu::always_inline]] inline std::int64_t weights_at(const DepthwiseBlock& block,
                                                      std::int64_t channel) {
  const auto at = static_cast<std::uint64_t>(channel - block.channel + block.weight_channel);
  return static_cast<std::int64_t>(at / kWeightLine) * block.weight_line +
         static_cast<std::int64_t>(at % kWeightLine);
}

template <int Lanes, int Pixels, int Vectors>
[[gnu::always_inline]] inline void add_any_taps(const DepthwiseBlock& block, std::int64_t channel) {
  using Vector = typename Register<Lanes>::Vector;
  Sums<Lanes, 1, Pixels, Vectors> sums;
  begin(sums, block, channel);
  std::int64_t weights[Vectors];
#pragma GCC unroll 4
  for (int v = 0; v < Vectors; ++v) weights[v] = weights_at(block, channel + v * Lanes);
  for (std::int64_t row = 0; row < block.tap_rows; ++row) {
    const float* x = block.rows[row] + block.first_input + channel;
    const float* w = block.weights[row] + block.first_tap * kWeightLine;
    for (std::int64_t tap = 0; tap < block.taps; ++tap, x += block.tap_step, w += kWeightLine)
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v) {
        Vector weight;
        load<Lanes>(weight, w + weights[v]);
#pragma GCC unroll 8
        for (int p = 0; p < Pixels; ++p) {
          Vector input;
          load<Lanes>(input, x + p * block.pixel_step + v * Lanes);
          sums.of[0][p][v] += weight * input;
        }
      }
  }
  end(sums, block, channel);
}

/// Adds what a row of the input gives to the rows of sums from `First` to `Last`, by the weights of
/// each. Each input is loaded once, unless it is padding:
///     inputs    0 1 2 3 4 5
///     pixel 0   a b c              pixel p reads inputs p * Stride + tap
///     pixel 1     a b c            by the weights a, b, c
template <int Taps, int Stride, bool Padded, int First, int Last, int Lanes, int Rows, int Pixels,
          int Vectors>
[[gnu::always_inline]] inline void add_row(Sums<Lanes, Rows, Pixels, Vectors>& sums,
                                           const DepthwiseBlock& block, const float* x,
                                           const float* const (&of_rows)[Rows],
                                           const std::int64_t (&weights)[Vectors]) {
  using Vector = typename Register<Lanes>::Vector;
  const std::int64_t first = block.first_tap;
  const std::int64_t last = first + block.taps;
  const std::int64_t step = block.tap_step;
  Vector weight[Rows][Taps][Vectors];
#pragma GCC unroll 2
  for (int r = First; r <= Last; ++r)
#pragma GCC unroll 8
    for (int tap = 0; tap < Taps; ++tap)
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v)
        load<Lanes>(weight[r][tap][v], of_rows[r] + weights[v] + tap * kWeightLine);
#pragma GCC unroll 24
  for (int i = 0; i < (Pixels - 1) * Stride + Taps; ++i) {
    if (Padded && (i < first || i >= last)) continue;
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) {
      Vector input;
      load<Lanes>(input, x + v * Lanes);
#ifndef __clang__
      // Else GCC loads it again for every tap.
      asm("" : "+x"(input));
#endif
#pragma GCC unroll 2
      for (int r = First; r <= Last; ++r)
#pragma GCC unroll 8
        for (int p = 0; p < Pixels; ++p)
          if (i >= p * Stride && i < p * Stride + Taps)
            sums.of[r][p][v] += weight[r][i - p * Stride][v] * input;
    }
    x += step;
  }
}

template <int Lanes, int Pixels, int Vectors, int Taps, int Stride, bool Padded>
[[gnu::always_inline]] inline void slide(const DepthwiseBlock& block, std::int64_t channel) {
  Sums<Lanes, 1, Pixels, Vectors> sums;
  begin(sums, block, channel);
  std::int64_t weights[Vectors];
#pragma GCC unroll 4
  for (int v = 0; v < Vectors; ++v) weights[v] = weights_at(block, channel + v * Lanes);
  for (std::int64_t row = 0; row < block.tap_rows; ++row)
    add_row<Taps, Stride, Padded, 0, 0>(sums, block, block.rows[row] + block.first_input + channel,
                                        {block.weights[row]}, weights);
  end(sums, block, channel);
}

/// Two rows of the output, of taps A, B, C:
///     row of the input    0  1  2  3
///     first row           A  B  C
///     second row             A  B  C
template <int Lanes, int Pixels, int Taps, bool Padded>
[[gnu::always_inline]] inline void slide_pair(const DepthwiseBlock& block, std::int64_t channel) {
  Sums<Lanes, 2, Pixels, 1> sums;
  begin(sums, block, channel);
  const std::int64_t weights[1] = {weights_at(block, channel)};
  const auto input = [&](std::int64_t row) __attribute__((always_inline)) {
    return block.rows[row] + block.first_input + channel;
  };
  const std::int64_t last = block.tap_rows;
  add_row<Taps, 1, Padded, 0, 0>(sums, block, input(0), {block.weights[0], nullptr}, weights);
  for (std::int64_t row = 1; row < last; ++row)
    add_row<Taps, 1, Padded, 0, 1>(sums, block, input(row),
                                   {block.weights[row], block.weights[row - 1]}, weights);
  add_row<Taps, 1, Padded, 1, 1>(sums, block, input(last), {nullptr, block.weights[last - 1]},
                                 weights);
  end(sums, block, channel);
}

/// A single pixel has several vectors at a time: one sum alone would wait for itself.
template <Isa Set, int Lanes, int Pixels>
void run_any_taps(const DepthwiseBlock& block) {
  run_on<Set>([&]() __attribute__((always_inline)) {
    constexpr int together = Pixels == 1 ? 4 : 1;
    std::int64_t channel = block.channel;
    const std::int64_t last = channel + block.vectors * Lanes;
    for (; channel + together * Lanes <= last; channel += together * Lanes)
      add_any_taps<Lanes, Pixels, together>(block, channel);
    if constexpr (together > 1)
      for (; channel < last; channel += Lanes) add_any_taps<Lanes, Pixels, 1>(block, channel);
  });
}

/// Vectors that slide together: where few taps read an input, it is worth more to load a whole line
/// of the cache than to have more pixels.
template <Isa Set, int Taps, int Stride>
constexpr int kSlideTogether = Set == Isa::Avx2 && Taps == 3 && Stride > 1 ? 2 : 1;

template <Isa Set, int Pixels, int Taps, int Stride, bool Padded>
[[gnu::always_inline]] inline void slide_vectors(const DepthwiseBlock& block) {
  constexpr int lanes = lanes_of(Set);
  constexpr int together = kSlideTogether<Set, Taps, Stride>;
  std::int64_t channel = block.channel;
  const std::int64_t last = channel + block.vectors * lanes;
  for (; channel + together * lanes <= last; channel += together * lanes)
    slide<lanes, Pixels, together, Taps, Stride, Padded>(block, channel);
  if constexpr (together > 1)
    for (; channel < last; channel += lanes)
      slide<lanes, Pixels, 1, Taps, Stride, Padded>(block, channel);
}

template <Isa Set, int Pixels, int Taps, int Stride>
void run_sliding(const DepthwiseBlock& block) {
  run_on<Set>([&]() __attribute__((always_inline)) {
    if (block.first_tap == 0 && block.taps == (Pixels - 1) * Stride + Taps)
      slide_vectors<Set, Pixels, Taps, Stride, false>(block);
    else
      slide_vectors<Set, Pixels, Taps, Stride, true>(block);
  });
}

template <Isa Set, int Pixels, int Taps>
void run_sliding_pair(const DepthwiseBlock& block) {
  run_on<Set>([&]() __attribute__((always_inline)) {
    constexpr int lanes = lanes_of(Set);
    const bool padded = block.first_tap != 0 || block.taps != Pixels - 1 + Taps;
    const std::int64_t last = block.channel + block.vectors * lanes;
    for (std::int64_t channel = block.channel; channel < last; channel += lanes)
      if (padded)
        slide_pair<lanes, Pixels, Taps, true>(block, channel);
      else
        slide_pair<lanes, Pixels, Taps, false>(block, channel);
  });
}

template <Isa Set, int Lanes>
RunDepthwiseBlock with_pixels(std::int64_t pixels) {
  if (pixels == 8) return run_any_taps<Set, Lanes, 8>;
  if (pixels == 4) return run_any_taps<Set, Lanes, 4>;
  return run_any_taps<Set, Lanes, 1>;
}

template <Isa Set>
RunDepthwiseBlock with_lanes(std::int64_t lanes, std::int64_t pixels) {
  if constexpr (Set == Isa::Avx512)
    if (lanes == 16) return with_pixels<Set, 16>(pixels);
  if constexpr (Set != Isa::Baseline)
    if (lanes == 8) return with_pixels<Set, 8>(pixels);
  if (lanes == 4) return with_pixels<Set, 4>(pixels);
  return with_pixels<Set, 1>(pixels);
}

/// Beside the sums there is room in registers for the weights of a row, an input and a product.
template <Isa Set, int Taps, int Stride>
constexpr int kMostPixels =
    (Set != Isa::Avx512 && Taps == 7 ? 6 : 8) / kSlideTogether<Set, Taps, Stride>;

template <Isa Set, int Taps, int Stride, int... Less>
constexpr SlidingBlocks sliding_of(std::integer_sequence<int, Less...>) {
  return {{nullptr, run_sliding<Set, Less + 1, Taps, Stride>...},
          sizeof...(Less),
          kSlideTogether<Set, Taps, Stride> * lanes_of(Set)};
}
template <Isa Set, int Taps, int Stride>
constexpr SlidingBlocks kSliding = sliding_of<Set, Taps, Stride>(
    std::make_integer_sequence<int, kMostPixels<Set, Taps, Stride>>{});
constexpr SlidingBlocks kNone = {};

/// Beside the sums of two rows there is room for the weights of two rows, and an input.
template <Isa Set, int Taps>
constexpr int kMostPairPixels = Set == Isa::Avx512              ? (Taps == 7 ? 6 : 8)
                                : Set == Isa::Avx2 && Taps == 3 ? 4
                                                                : 0;
template <Isa Set, int Taps, int... Less>
constexpr SlidingBlocks sliding_pair_of(std::integer_sequence<int, Less...>) {
  return {{nullptr, run_sliding_pair<Set, Less + 1, Taps>...}, sizeof...(Less), lanes_of(Set)};
}
template <Isa Set, int Taps>
constexpr SlidingBlocks kSlidingPair =
    sliding_pair_of<Set, Taps>(std::make_integer_sequence<int, kMostPairPixels<Set, Taps>>{});

template <Isa Set>
const SlidingBlocks& sliding_with(std::int64_t taps, std::int64_t stride) {
  if (taps == 3 && stride == 1) return kSliding<Set, 3, 1>;
  if (taps == 3 && stride == 2) return kSliding<Set, 3, 2>;
  if (taps == 5 && stride == 1) return kSliding<Set, 5, 1>;
  if (taps == 5 && stride == 2) return kSliding<Set, 5, 2>;
  if (taps == 7 && stride == 1) return kSliding<Set, 7, 1>;
  if (taps == 7 && stride == 2) return kSliding<Set, 7, 2>;
  return kNone;
}

template <Isa Set>
const SlidingBlocks& sliding_pair_with(std::int64_t taps) {
  if (taps == 3) return kSlidingPair<Set, 3>;
  if (taps == 5) return kSlidingPair<Set, 5>;
  if (taps == 7) return kSlidingPair<Set, 7>;
  return kNone;
}

}  // namespace

std::int64_t depthwise_lanes(Isa isa) { return lanes_of(isa); }

RunDepthwiseBlock depthwise_block(Isa isa, std::int64_t lanes, std::int64_t pixels) {
  return made_for(isa, [&]<Isa Set>() { return with_lanes<Set>(lanes, pixels); });
}

const SlidingBlocks& sliding_blocks(Isa isa, std::int64_t taps, std::int64_t stride) {
  return made_for(
      isa, [&]<Isa Set>() -> const SlidingBlocks& { return sliding_with<Set>(taps, stride); });
}

const SlidingBlocks& sliding_pair_blocks(Isa isa, std::int64_t taps) {
  return made_for(isa,
                  [&]<Isa Set>() -> const SlidingBlocks& { return sliding_pair_with<Set>(taps); });
}

}  // namespace braid::cpu
