#include "device/cpu/kernels/grouped_block.h"

#include <algorithm>
#include <utility>

#include "base/checked.h"
#include "base/error.h"
#include "device/cpu/kernels/vector_register.h"

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
    std::int64_t c = 0;
    for (; c + 4 <= channels; c += 4)
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) step(c + i);
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

template <GroupedShape Shape, int Pixels>
[[gnu::always_inline]] inline void add_groups(const GroupedBlock& block) {
  constexpr int lanes = Shape.lanes;
  constexpr int vectors = Shape.vectors;
  using Vector = typename Register<lanes>::Vector;
  Vector total[Pixels][vectors];
#pragma GCC unroll 4
  for (int v = 0; v < vectors; ++v) {
    Vector first{};
    if (block.bias != nullptr) load<lanes>(first, block.bias + v * lanes);
#pragma GCC unroll 10
    for (int p = 0; p < Pixels; ++p) total[p][v] = first;
  }
  const std::int64_t channels = block.channels;
  const std::int32_t* pieces = block.pieces;
  for (std::int64_t tap = 0; tap < block.tap_count; ++tap, pieces += block.piece_step) {
    const float* panel = block.panel + block.taps[tap] * channels * Shape.channels();
    const float* input[Pixels];
#pragma GCC unroll 10
    for (int p = 0; p < Pixels; ++p) input[p] = block.input + pieces[p];
    using Add = AddTap<Shape, Pixels>;
    if constexpr (Shape.woven != 0)
      Add::of_woven_groups(total, input, panel, std::make_integer_sequence<int, Shape.woven>{});
    else
      Add::of_one_group(total, input, panel, channels);
  }
  if (block.residual != nullptr)
#pragma GCC unroll 10
    for (int p = 0; p < Pixels; ++p)
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) {
        Vector more;
        load<lanes>(more, block.residual[p] + v * lanes);
        total[p][v] += more;
      }
  if (block.relu)
#pragma GCC unroll 10
    for (int p = 0; p < Pixels; ++p)
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v)
        total[p][v] = total[p][v] < Vector{} ? Vector{} : total[p][v];
  // A store of a vector might change the block, as far as the compiler knows.
  float* to[Pixels];
#pragma GCC unroll 10
  for (int p = 0; p < Pixels; ++p) to[p] = block.to[p];
#pragma GCC unroll 10
  for (int p = 0; p < Pixels; ++p)
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) store<lanes>(total[p][v], to[p] + v * lanes);
}

template <Isa Set, GroupedShape Shape, int Pixels>
void run_grouped(const GroupedBlock& block) {
  const auto body = [&]() __attribute__((always_inline)) { add_groups<Shape, Pixels>(block); };
  if constexpr (Set == Isa::Avx512)
    run_avx512(body);
  else if constexpr (Set == Isa::Avx2)
    run_avx2(body);
  else
    body();
}

template <Isa Set, GroupedShape Shape, int... Less>
constexpr GroupedBlocks blocks_with(std::integer_sequence<int, Less...>) {
  return {{run_grouped<Set, Shape, Less + 1>...}, sizeof...(Less)};
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
