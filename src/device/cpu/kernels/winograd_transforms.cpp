#include "device/cpu/kernels/winograd_transforms.h"

#include <algorithm>

#include "device/cpu/kernels/panel_block.h"
#include "device/cpu/kernels/registers.h"
#include "device/cpu/kernels/winograd_forms.h"

namespace braid::cpu {
namespace {

/// One vector of channels, `at` elements behind the beginning of each pixel.
template <class Form, int Lanes>
[[gnu::always_inline]] inline void transform_input(const float* const* pixels, std::int64_t at,
                                                   float* to, std::int64_t matrix_stride) {
  using Vector = typename Register<Lanes>::Vector;
  constexpr int n = Form::kInputs;
  Vector half[n][n];
#pragma GCC unroll 6
  for (int x = 0; x < n; ++x) {
    Vector column[n];
    Vector transformed[n];
#pragma GCC unroll 6
    for (int y = 0; y < n; ++y) load<Lanes>(column[y], pixels[y * n + x] + at);
    Form::input(column, transformed);
#pragma GCC unroll 6
    for (int y = 0; y < n; ++y) half[y][x] = transformed[y];
  }
#pragma GCC unroll 6
  for (int y = 0; y < n; ++y) {
    Vector transformed[n];
    Form::input(half[y], transformed);
#pragma GCC unroll 6
    for (int x = 0; x < n; ++x, to += matrix_stride) store<Lanes>(transformed[x], to);
  }
}

/// The last channels, if they fill no vector, go through a copy filled up with zeros.
template <class Form, int Lanes>
[[gnu::always_inline]] inline void transform_inputs(const WinogradInput& tile) {
  constexpr int count = Form::kInputs * Form::kInputs;
  const float* copies[count];
  alignas(64) float rest[count][Lanes];
  const float* const* pixels = tile.pixels;
  std::int64_t at = 0;
  for (std::int64_t c = 0; c < tile.channels; c += Lanes, at += Lanes) {
    if (const std::int64_t left = tile.channels - c; left < Lanes) {
      for (int i = 0; i < count; ++i) {
        for (int lane = 0; lane < Lanes; ++lane)
          rest[i][lane] = lane < left ? tile.pixels[i][c + lane] : 0;
        copies[i] = rest[i];
      }
      pixels = copies;
      at = 0;
    }
    transform_input<Form, Lanes>(pixels, at, tile.to + c, tile.matrix_stride);
  }
}

template <class Form, int Lanes>
[[gnu::always_inline]] inline void transform_output(const WinogradOutput& tile, std::int64_t c) {
  using Vector = typename Register<Lanes>::Vector;
  constexpr int n = Form::kInputs;
  constexpr int m = Form::kOutputs;
  const float* from = tile.products + c;
  Vector half[n][m];
#pragma GCC unroll 6
  for (int y = 0; y < n; ++y) {
    Vector row[n];
#pragma GCC unroll 6
    for (int x = 0; x < n; ++x, from += tile.matrix_stride) load<Lanes>(row[x], from);
    Form::output(row, half[y]);
  }
  Vector bias = {};
  if (tile.bias != nullptr) load<Lanes>(bias, tile.bias + c);
  Vector not_finite;
  load<Lanes>(not_finite, tile.not_finite);
#pragma GCC unroll 4
  for (int x = 0; x < m; ++x) {
    Vector column[n];
    Vector sums[m];
#pragma GCC unroll 6
    for (int y = 0; y < n; ++y) column[y] = half[y][x];
    Form::output(column, sums);
#pragma GCC unroll 4
    for (int y = 0; y < m; ++y) {
      not_finite += sums[y] * 0.0F;
      sums[y] += bias;
      if (tile.residual != nullptr) {
        Vector more;
        load<Lanes>(more, tile.residual[y * m + x] + c);
        sums[y] += more;
      }
      if (tile.relu) sums[y] = sums[y] < Vector{} ? Vector{} : sums[y];
      store<Lanes>(sums[y], tile.to[y * m + x] + c);
    }
  }
  store<Lanes>(not_finite, tile.not_finite);
}

template <class Form, int Lanes>
[[gnu::always_inline]] inline void transform_outputs(const WinogradOutput& tile) {
  for (std::int64_t c = 0; c < tile.columns; c += Lanes) transform_output<Form, Lanes>(tile, c);
}

template <class Form, Isa Set, int Lanes>
void run_winograd_input(const WinogradInput& tile) {
  run_on<Set>([&]() __attribute__((always_inline)) { transform_inputs<Form, Lanes>(tile); });
}

template <class Form, Isa Set, int Lanes>
void run_winograd_output(const WinogradOutput& tile) {
  run_on<Set>([&]() __attribute__((always_inline)) { transform_outputs<Form, Lanes>(tile); });
}

template <class Form, Isa Set, int Lanes>
WinogradTransforms transforms_of() {
  return {Form::kOutputs, Form::kInputs, Form::kFilter, run_winograd_input<Form, Set, Lanes>,
          run_winograd_output<Form, Set, Lanes>};
}

template <class Form>
WinogradTransforms transforms_on(Isa isa) {
  switch (isa) {
    case Isa::Avx512:
      return transforms_of<Form, Isa::Avx512, kAvx512Shape.lanes>();
    case Isa::Avx2:
      return transforms_of<Form, Isa::Avx2, kAvx2Shape.lanes>();
    case Isa::Baseline:
      break;
  }
  return transforms_of<Form, Isa::Baseline, kBaselineShape.lanes>();
}

}  // namespace

WinogradTransforms winograd_transforms(Isa isa, std::int64_t outputs) {
  return outputs == WinogradF4::kOutputs ? transforms_on<WinogradF4>(isa)
                                         : transforms_on<WinogradF2>(isa);
}

}  // namespace braid::cpu
