#include "device/cpu/kernels/grouped_block.h"

#include <algorithm>
#include <utility>

#include "base/checked.h"
#include "base/error.h"
#include "device/cpu/kernels/registers.h"

namespace braid::cpu {
namespace {

constexpr int widest_lanes(Isa set) { return set == Isa::Avx512 ? 16 : set == Isa::Avx2 ? 8 : 4; }
constexpr int most_vectors(Isa set) { return set == Isa::Avx512 ? 4 : 3; }

/// Beside the sums there is room in registers for a panel's vectors and an input channel; without
/// FMA also for a product.
constexpr int most_pixels(Isa set, const GroupedShape& shape) {
  constexpr int avx512[] = {10, 10, 8, 6};
  constexpr int avx2[] = {10, 6, 4};
  constexpr int baseline[] = {8, 5, 3};
  if (set == Isa::Avx512) return avx512[shape.vectors - 1];
  if (set == Isa::Avx2) return avx2[shape.vectors - 1];
  return baseline[shape.vectors - 1];
}

/// The lanes of channel `Channel` of every group of `Group` lanes, spread over that group.
template <int Group, int Channel, class Vector, int... Lane>
[[gnu::always_inline]] inline void spread(Vector& to, const Vector& from,
                                          std::integer_sequence<int, Lane...>) {
  to = __builtin_shufflevector(from, from, (Lane / Group * Group + Channel)...);
}

/// Adds the products of one tap and all input channels to the sums.
template <GroupedShape Shape, int Pixels>
struct AddTap {
  static constexpr int kLanes = Shape.lanes;
  static constexpr int kVectors = Shape.vectors;
  using Vector = typename Register<kLanes>::Vector;

  [[gnu::always_inline]] static void of_one_group(Vector (&total)[Pixels][kVectors],
                                                  const float* const (&input)[Pixels],
                                                  const float* panel, std::int64_t channels) {
    const auto step = [&](std::int64_t c) __attribute__((always_inline)) {
      Vector weights[kVectors];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) load<kLanes>(weights[v], panel + v * kLanes);
      panel += kVectors * kLanes;
#pragma GCC unroll 10
      for (int p = 0; p < Pixels; ++p)
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) total[p][v] += weights[v] * input[p][c];
    };
    // With sixteen registers, more steps at a time make compilers run out of them.
    constexpr int together = kLanes == 16 ? 4 : 1;
    std::int64_t c = 0;
#pragma GCC unroll 1
    for (; c + together <= channels; c += together)
#pragma GCC unroll 4
      for (int i = 0; i < together; ++i) step(c + i);
    if constexpr (together > 1)
      for (; c < channels; ++c) step(c);
  }

  template <int... Channel>
  [[gnu::always_inline]] static void of_woven_groups(Vector (&total)[Pixels][kVectors],
                                                     const float* const (&input)[Pixels],
                                                     const float* panel,
                                                     std::integer_sequence<int, Channel...>) {
    constexpr auto lanes = std::make_integer_sequence<int, kLanes>{};
    Vector weights[sizeof...(Channel)];
    (load<kLanes>(weights[Channel], panel + Channel * kLanes), ...);
#pragma GCC unroll 10
    for (int p = 0; p < Pixels; ++p) {
      Vector all;
      load<kLanes>(all, input[p]);
      Vector one;
      ((spread<Shape.woven, Channel>(one, all, lanes), total[p][0] += weights[Channel] * one), ...);
    }
  }
};

/// The sums of some pixels.
template <GroupedShape Shape, int Pixels>
struct GroupedSums {
  using Vector = typename Register<Shape.lanes>::Vector;
  Vector of[Pixels][Shape.vectors];

  [[gnu::always_inline]] void begin(const float* bias) {
#pragma GCC unroll 4
    for (int v = 0; v < Shape.vectors; ++v) {
      Vector first{};
      if (bias != nullptr) load<Shape.lanes>(first, bias + v * Shape.lanes);
#pragma GCC unroll 10
      for (int p = 0; p < Pixels; ++p) of[p][v] = first;
    }
  }

  [[gnu::always_inline]] void end(const GroupedBlock& block) {
    if (block.residual != nullptr)
#pragma GCC unroll 10
      for (int p = 0; p < Pixels; ++p)
#pragma GCC unroll 4
        for (int v = 0; v < Shape.vectors; ++v) {
          Vector more;
          load<Shape.lanes>(
              more, block.residual + block.residuals[p] * block.residual_pitch + v * Shape.lanes);
          of[p][v] += more;
        }
    activate_registers<Shape.lanes>(of, block.activation);
    // A store of a vector might change the block, as far as the compiler knows.
    float* to[Pixels];
#pragma GCC unroll 10
    for (int p = 0; p < Pixels; ++p) to[p] = block.to + block.places[p] * block.pitch;
#pragma GCC unroll 10
    for (int p = 0; p < Pixels; ++p)
#pragma GCC unroll 4
      for (int v = 0; v < Shape.vectors; ++v) store<Shape.lanes>(of[p][v], to[p] + v * Shape.lanes);
  }
};

template <GroupedShape Shape, int Pixels>
[[gnu::always_inline]] inline void add_groups(const GroupedBlock& block) {
  GroupedSums<Shape, Pixels> sums;
  sums.begin(block.bias);
  const std::int64_t channels = block.channels;
  const std::int32_t* pieces = block.pieces;
  for (std::int64_t tap = 0; tap < block.tap_count; ++tap, pieces += block.piece_step) {
    const float* panel = block.panel + block.taps[tap] * channels * Shape.channels();
    const float* input[Pixels];
#pragma GCC unroll 10
    for (int p = 0; p < Pixels; ++p) input[p] = block.input + pieces[p];
    using Add = AddTap<Shape, Pixels>;
    if constexpr (Shape.woven != 0)
      Add::of_woven_groups(sums.of, input, panel, std::make_integer_sequence<int, Shape.woven>{});
    else
      Add::of_one_group(sums.of, input, panel, channels);
  }
  sums.end(block);
}

/// Adds the products of a row of taps and one input channel, which is `Channel` if groups are woven
/// and else the first of `x`.
template <GroupedShape Shape, int Pixels, int Stride, int Channel>
[[gnu::always_inline]] inline void slide_channel(GroupedSums<Shape, Pixels>& sums, const float* x,
                                                 std::int64_t step, const float* panel,
                                                 std::int64_t tap_step) {
  constexpr int taps = kSlidingTaps;
  using Vector = typename Register<Shape.lanes>::Vector;
  Vector weights[taps];
#pragma GCC unroll 3
  for (int tap = 0; tap < taps; ++tap) load<Shape.lanes>(weights[tap], panel + tap * tap_step);
#pragma GCC unroll 17
  for (int i = 0; i < (Pixels - 1) * Stride + taps; ++i, x += step) {
    Vector one;
    if constexpr (Shape.woven != 0) {
      Vector all;
      load<Shape.lanes>(all, x);
      spread<Shape.woven, Channel>(one, all, std::make_integer_sequence<int, Shape.lanes>{});
    } else {
      one = *x - Vector{};
    }
#pragma GCC unroll 8
    for (int p = 0; p < Pixels; ++p)
      if (i >= p * Stride && i < p * Stride + taps) sums.of[p][0] += weights[i - p * Stride] * one;
  }
}

template <GroupedShape Shape, int Pixels, int Stride>
[[gnu::always_inline]] inline void slide_groups(const GroupedBlock& block) {
  GroupedSums<Shape, Pixels> sums;
  sums.begin(block.bias);
  const std::int64_t tap_step = block.channels * Shape.lanes;
  const std::int64_t step = block.tap_step;
  for (std::int64_t tap = 0; tap < block.tap_count; tap += kSlidingTaps) {
    const float* x = block.input + block.pieces[tap * block.piece_step];
    const float* panel = block.panel + block.taps[tap] * tap_step;
    if constexpr (Shape.woven != 0) {
      [&]<int... Channel>(std::integer_sequence<int, Channel...>) __attribute__((always_inline)) {
        (slide_channel<Shape, Pixels, Stride, Channel>(sums, x, step, panel + Channel * Shape.lanes,
                                                       tap_step),
         ...);
      }(std::make_integer_sequence<int, Shape.woven>{});
    } else {
      for (std::int64_t c = 0; c < block.channels; ++c)
        slide_channel<Shape, Pixels, Stride, 0>(sums, x + c, step, panel + c * Shape.lanes,
                                                tap_step);
    }
  }
  sums.end(block);
}

template <Isa Set, GroupedShape Shape, int Pixels>
void run_grouped(const GroupedBlock& block) {
  run_on<Set>([&]() __attribute__((always_inline)) { add_groups<Shape, Pixels>(block); });
}
template <Isa Set, GroupedShape Shape, int Pixels, int Stride>
void run_sliding_grouped(const GroupedBlock& block) {
  run_on<Set>([&]() __attribute__((always_inline)) { slide_groups<Shape, Pixels, Stride>(block); });
}

/// Spreading is what takes time where there is one vector for each input channel.
constexpr bool may_slide(Isa set, const GroupedShape& shape) {
  return shape.vectors == 1 && shape.lanes == widest_lanes(set) &&
         (shape.woven != 0 || set != Isa::Avx512);
}

template <Isa Set, GroupedShape Shape, int Stride, int... More>
constexpr void add_sliding(GroupedBlocks& blocks, std::integer_sequence<int, More...>) {
  ((blocks.sliding[Stride - 1][kLeastSlidingPixels + More] =
        run_sliding_grouped<Set, Shape, static_cast<int>(kLeastSlidingPixels) + More, Stride>),
   ...);
}

template <Isa Set, GroupedShape Shape, int... Less>
constexpr GroupedBlocks blocks_with(std::integer_sequence<int, Less...>) {
  GroupedBlocks blocks;
  ((blocks.of[Less + 1] = run_grouped<Set, Shape, Less + 1>), ...);
  blocks.most_pixels = sizeof...(Less);
  if constexpr (may_slide(Set, Shape)) {
    constexpr auto more =
        std::make_integer_sequence<int, kMostSlidingPixels - kLeastSlidingPixels + 1>{};
    add_sliding<Set, Shape, 1>(blocks, more);
    add_sliding<Set, Shape, 2>(blocks, more);
  }
  return blocks;
}
template <Isa Set, GroupedShape Shape>
constexpr GroupedBlocks kGroupedBlocks =
    blocks_with<Set, Shape>(std::make_integer_sequence<int, most_pixels(Set, Shape)>{});

template <Isa Set, int Lanes>
const GroupedBlocks* find_blocks(const GroupedShape& shape) {
  if constexpr (Lanes <= widest_lanes(Set)) {
    if (shape == GroupedShape{Lanes, 1, 0}) return &kGroupedBlocks<Set, GroupedShape{Lanes, 1, 0}>;
    if (shape == GroupedShape{Lanes, 2, 0}) return &kGroupedBlocks<Set, GroupedShape{Lanes, 2, 0}>;
    if (shape == GroupedShape{Lanes, 3, 0}) return &kGroupedBlocks<Set, GroupedShape{Lanes, 3, 0}>;
    if (shape == GroupedShape{Lanes, 1, 4}) return &kGroupedBlocks<Set, GroupedShape{Lanes, 1, 4}>;
    if constexpr (Set == Isa::Avx512)
      if (shape == GroupedShape{Lanes, 4, 0})
        return &kGroupedBlocks<Set, GroupedShape{Lanes, 4, 0}>;
    if constexpr (Lanes == 16)
      if (shape == GroupedShape{Lanes, 1, 8})
        return &kGroupedBlocks<Set, GroupedShape{Lanes, 1, 8}>;
  }
  return nullptr;
}

template <Isa Set>
const GroupedBlocks& blocks_for(const GroupedShape& shape) {
  const GroupedBlocks* found = nullptr;
  for (const auto find : {find_blocks<Set, 16>, find_blocks<Set, 8>, find_blocks<Set, 4>})
    if (found == nullptr) found = find(shape);
  require(found != nullptr, "a shape of blocks that grouped_shape() gives");
  return *found;
}

}  // namespace

GroupedShape grouped_shape(Isa isa, std::int64_t channels, std::int64_t group, bool may_weave) {
  if (may_weave && (group == 4 || (group == 8 && widest_lanes(isa) == 16))) {
    int lanes = widest_lanes(isa);
    while (lanes > std::max<std::int64_t>(channels, 4)) lanes /= 2;
    if (lanes > group || group == 4) return {lanes, 1, static_cast<int>(group)};
  }
  const std::int64_t own = std::min(channels, group);
  int lanes = widest_lanes(isa);
  while (own % lanes != 0) lanes /= 2;
  const std::int64_t vectors = own / lanes;
  const std::int64_t panels = ceil_div(vectors, std::int64_t{most_vectors(isa)});
  return {lanes, static_cast<int>(ceil_div(vectors, panels)), 0};
}

const GroupedBlocks& grouped_blocks(Isa isa, const GroupedShape& shape) {
  switch (isa) {
    case Isa::Avx512:
      return blocks_for<Isa::Avx512>(shape);
    case Isa::Avx2:
      return blocks_for<Isa::Avx2>(shape);
    case Isa::Baseline:
      break;
  }
  return blocks_for<Isa::Baseline>(shape);
}

}  // namespace braid::cpu
