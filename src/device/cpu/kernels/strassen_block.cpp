#include "device/cpu/kernels/strassen_block.h"

#include <algorithm>
#include <utility>

#include "device/cpu/kernels/panel_sums.h"

namespace braid::cpu {
namespace {

template <int Lanes, int Rows, int Vectors>
[[gnu::always_inline]] inline void write_products(
    const StrassenOutput& output, const typename Register<Lanes>::Vector (&total)[Rows][Vectors]) {
  using Vector = typename Register<Lanes>::Vector;
  Vector not_finite = {};
#pragma GCC unroll 10
  for (int row = 0; row < Rows; ++row)
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) {
      Vector result = total[row][v];
      Vector more;
      const auto add = [&](const float* from) __attribute__((always_inline)) {
        load<Lanes>(more, from + v * Lanes);
        result += more;
      };
      if (output.begin != nullptr) add(output.begin[row]);
      not_finite += result * 0.0F;
      if (output.bias != nullptr) add(output.bias);
      if (output.more != nullptr) add(output.more[row]);
      if (output.relu) result = result < Vector{} ? Vector{} : result;
      store<Lanes>(result, output.to[row] + v * Lanes);
    }
  if (output.not_finite == nullptr) return;
  Vector before;
  load<Lanes>(before, output.not_finite);
  store<Lanes>(before + not_finite, output.not_finite);
}

template <int Lanes, int Rows, int Vectors, StrassenPanels Panels, FetchRate Rate>
[[gnu::always_inline]] inline void multiply_block(const StrassenBlock& block) {
  using Vector = typename Register<Lanes>::Vector;
  Vector total[Rows][Vectors];
  const float* row_at[Rows];
#pragma GCC unroll 10
  for (int row = 0; row < Rows; ++row) {
    row_at[row] = block.rows[row];
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) total[row][v] = Vector{};
  }
  const float* panel = block.panel;
  [[maybe_unused]] const float* minus = block.minus;
  [[maybe_unused]] const float* plus = block.plus;
  [[maybe_unused]] float* made = block.made;
  const std::byte* next = block.next;
  const auto columns = [&](Vector(&sum)[Vectors]) __attribute__((always_inline)) {
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) {
      load<Lanes>(sum[v], panel + v * Lanes);
      if constexpr (Panels == StrassenPanels::One) continue;
      Vector other;
      load<Lanes>(other, minus + v * Lanes);
      sum[v] -= other;
      if constexpr (Panels == StrassenPanels::Three) {
        load<Lanes>(other, plus + v * Lanes);
        sum[v] += other;
      }
      store<Lanes>(sum[v], made + v * Lanes);
    }
    panel += Vectors * Lanes;
    if constexpr (Panels != StrassenPanels::One) {
      minus += Vectors * Lanes;
      made += Vectors * Lanes;
    }
    if constexpr (Panels == StrassenPanels::Three) plus += Vectors * Lanes;
  };
  add_channels<Lanes, Rows, Vectors, Rate>(total, row_at, block.depth, next, columns);
  for (const StrassenOutput& output : block.outputs)
    if (output.to != nullptr) write_products<Lanes, Rows, Vectors>(output, total);
}

template <Isa Set, int Rows, int Vectors, StrassenPanels Panels>
void run_strassen_block(const StrassenBlock& block) {
  run_on<Set>([&]() __attribute__((always_inline)) {
    multiply_block<static_cast<int>(panel_shape(Set).lanes), Rows, Vectors, Panels,
                   strassen_fetch_rate(Set)>(block);
  });
}

constexpr int kMostVectors = kMostPanelVectors;

template <Isa Set, int Rows, int Vectors>
constexpr RunStrassenBlock plain_or_null() {
  if constexpr (Rows <= panel_shape(Set).rows_of(Vectors) &&
                Vectors <= panel_shape(Set).most_vectors)
    return run_strassen_block<Set, Rows, Vectors, StrassenPanels::One>;
  else
    return nullptr;
}

template <Isa Set, int... I>
constexpr auto plain_blocks(std::integer_sequence<int, I...>) {
  return std::array{plain_or_null<Set, I / kMostVectors + 1, I % kMostVectors + 1>()...};
}

template <Isa Set, int Vectors, StrassenPanels Panels>
constexpr RunStrassenBlock summing_or_null() {
  if constexpr (Vectors <= panel_shape(Set).most_vectors)
    return run_strassen_block<Set, static_cast<int>(panel_shape(Set).rows_of(Vectors)), Vectors,
                              Panels>;
  else
    return nullptr;
}

template <Isa Set, StrassenPanels Panels, int... I>
constexpr auto summing_blocks(std::integer_sequence<int, I...>) {
  return std::array{summing_or_null<Set, I + 1, Panels>()...};
}

template <Isa Set>
RunStrassenBlock block_of(std::int64_t rows, std::int64_t vectors, StrassenPanels panels) {
  constexpr auto each_vector = std::make_integer_sequence<int, kMostVectors>{};
  constexpr auto each_size = std::make_integer_sequence<int, kMostBlockRows * kMostVectors>{};
  static constexpr auto plain = plain_blocks<Set>(each_size);
  static constexpr auto of_two = summing_blocks<Set, StrassenPanels::Two>(each_vector);
  static constexpr auto of_three = summing_blocks<Set, StrassenPanels::Three>(each_vector);
  const auto index = static_cast<std::size_t>(vectors - 1);
  if (panels == StrassenPanels::Two) return of_two[index];
  if (panels == StrassenPanels::Three) return of_three[index];
  return plain[static_cast<std::size_t>((rows - 1) * kMostVectors) + index];
}

/// The last vector may overlap the one before.
template <int Lanes>
[[gnu::always_inline]] inline void sum_rows(StrassenRows& rows) {
  using Vector = typename Register<Lanes>::Vector;
  Vector largest[2] = {};
  const auto widen = [](Vector& most, const Vector& x) __attribute__((always_inline)) {
    const Vector size = x < Vector{} ? -x : x;
    most = size > most ? size : most;
  };
  for (std::int64_t c = 0; c < rows.half; c += Lanes) {
    const std::int64_t at = std::min(c, rows.half - Lanes);
    Vector a11;
    Vector a12;
    Vector a21;
    Vector a22;
    load<Lanes>(a11, rows.top + at);
    load<Lanes>(a12, rows.top + rows.half + at);
    load<Lanes>(a21, rows.bottom + at);
    load<Lanes>(a22, rows.bottom + rows.half + at);
    widen(largest[0], a11);
    widen(largest[0], a12);
    widen(largest[1], a21);
    widen(largest[1], a22);
    const Vector s1 = a21 + a22;
    const Vector s2 = s1 - a11;
    float* to = rows.to + at;
    store<Lanes>(s1, to);
    store<Lanes>(s2, to + rows.stride);
    store<Lanes>(a11 - a21, to + 2 * rows.stride);
    store<Lanes>(a12 - s2, to + 3 * rows.stride);
  }
  float sizes[2][Lanes];
  store<Lanes>(largest[0], sizes[0]);
  store<Lanes>(largest[1], sizes[1]);
  rows.largest_top = *std::max_element(sizes[0], sizes[0] + Lanes);
  rows.largest_bottom = *std::max_element(sizes[1], sizes[1] + Lanes);
}

template <Isa Set>
void run_strassen_rows(StrassenRows& rows) {
  run_on<Set>([&]() __attribute__((always_inline)) {
    sum_rows<static_cast<int>(panel_shape(Set).lanes)>(rows);
  });
}

}  // namespace

RunStrassenBlock strassen_block(Isa isa, std::int64_t rows, std::int64_t vectors,
                                StrassenPanels panels) {
  return made_for(isa, [&]<Isa Set>() { return block_of<Set>(rows, vectors, panels); });
}

RunStrassenRows strassen_rows(Isa isa) {
  return made_for(isa, []<Isa Set>() { return RunStrassenRows{run_strassen_rows<Set>}; });
}

}  // namespace braid::cpu
