#include "ops/plane_cpu.h"

#include <algorithm>
#include <cstring>

#include "base/checked.h"

namespace braid::cpu {
namespace {

/// Sixteen floats; the compiler splits them where registers are narrower.
constexpr std::int64_t kLanes = 16;
using Vector [[gnu::vector_size(64)]] = float;
using UnalignedVector [[gnu::vector_size(64), gnu::aligned(4), gnu::may_alias]] = float;

std::int64_t rounded(std::int64_t count) { return ceil_div(count, kLanes) * kLanes; }

/// The weighted sums of `Vectors` neighbouring vectors of outputs.
template <int Vectors>
[[gnu::always_inline]] inline void weigh_block(const float* plane,
                                               const std::vector<std::int64_t>& offsets,
                                               const float* weights, float bias, float* results) {
  Vector sums[Vectors];
  for (Vector& sum : sums) sum = Vector{} + bias;
  for (std::size_t t = 0; t < offsets.size(); ++t) {
    const float* from = plane + offsets[t];
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) {
      const Vector x = *reinterpret_cast<const UnalignedVector*>(from + v * kLanes);
      sums[v] += x * weights[t];
    }
  }
  for (int v = 0; v < Vectors; ++v)
    *reinterpret_cast<UnalignedVector*>(results + v * kLanes) = sums[v];
}

/// Windows are seen with two axes.
Window with_two_axes(Window window) {
  if (window.axes() == 2) return window;
  for (Dims* list :
       {&window.kernel, &window.strides, &window.dilations, &window.input, &window.output})
    list->insert(list->begin(), 1);
  for (Dims* list : {&window.pads_begin, &window.pads_end}) list->insert(list->begin(), 0);
  return window;
}

}  // namespace

Plane::Plane(const Window& window) : window_(with_two_axes(window)) {
  rows_ = window_.output[0];
  columns_ = window_.output[1];
  const auto reach = [&](std::size_t axis) {
    return (window_.kernel[axis] - 1) * window_.dilations[axis] / window_.strides[axis];
  };
  phase_rows_ = rows_ + reach(0);
  pitch_ = columns_ + reach(1);
  const std::int64_t phase_floats = checked_mul(phase_rows_, pitch_);
  for (std::int64_t a = 0; a < window_.kernel[0]; ++a)
    for (std::int64_t b = 0; b < window_.kernel[1]; ++b) {
      const std::int64_t row = a * window_.dilations[0];
      const std::int64_t column = b * window_.dilations[1];
      const std::int64_t phase = add_phase({row % window_.strides[0], column % window_.strides[1]});
      offsets_.push_back(phase * phase_floats + row / window_.strides[0] * pitch_ +
                         column / window_.strides[1]);
    }
  // Outputs between the rows, and the last vector, read past the last phase.
  const auto phases = static_cast<std::int64_t>(phases_.size());
  plane_floats_ = rounded(checked_add(checked_mul(phases, phase_floats), pitch_ + kLanes));
  result_floats_ = rounded(checked_mul(rows_, pitch_));
}

std::int64_t Plane::add_phase(Phase phase) {
  const auto same = [&](const Phase& p) { return p.row == phase.row && p.column == phase.column; };
  const auto found = std::find_if(phases_.begin(), phases_.end(), same);
  const std::int64_t index = found - phases_.begin();
  if (found == phases_.end()) phases_.push_back(phase);
  return index;
}

void Plane::fill_row(const float* channel, std::int64_t row, std::int64_t column_phase,
                     float padding, float* to) const {
  if (row < 0 || row >= window_.input[0]) {
    std::fill_n(to, pitch_, padding);
    return;
  }
  const std::int64_t stride = window_.strides[1];
  const std::int64_t shift = column_phase - window_.pads_begin[1];
  const std::int64_t first = shift >= 0 ? 0 : std::min(pitch_, ceil_div(-shift, stride));
  const std::int64_t room = window_.input[1] - shift;
  const std::int64_t last = std::clamp(room <= 0 ? 0 : ceil_div(room, stride), first, pitch_);
  const float* from = channel + row * window_.input[1] + shift;
  std::fill(to, to + first, padding);
  if (stride == 1)
    std::copy(from + first, from + last, to + first);
  else
    for (std::int64_t i = first; i < last; ++i) to[i] = from[i * stride];
  std::fill(to + last, to + pitch_, padding);
}

void Plane::fill(const float* channel, float padding, float* plane) const {
  float* to = plane;
  for (const Phase& phase : phases_)
    for (std::int64_t row = 0; row < phase_rows_; ++row, to += pitch_)
      fill_row(channel, row * window_.strides[0] + phase.row - window_.pads_begin[0], phase.column,
               padding, to);
  std::fill(to, plane + plane_floats_, padding);
}

void Plane::weigh(const float* plane, const float* weights, float bias, float* results) const {
  on_best_isa([&]() __attribute__((always_inline)) {
    std::int64_t i = 0;
    for (; i + 4 * kLanes <= result_floats_; i += 4 * kLanes)
      weigh_block<4>(plane + i, offsets_, weights, bias, results + i);
    for (; i < result_floats_; i += kLanes)
      weigh_block<1>(plane + i, offsets_, weights, bias, results + i);
  });
}

void Plane::largest(const float* plane, float* results) const {
  // Comparisons of whole vectors do not survive inlining into other instruction sets; plain loops
  // over a piece that stays in the nearest cache do.
  constexpr std::int64_t piece = 1024;
  for (std::int64_t begin = 0; begin < result_floats_; begin += piece) {
    float* __restrict best = results + begin;
    const std::int64_t count = std::min(piece, result_floats_ - begin);
    std::fill_n(best, count, -std::numeric_limits<float>::infinity());
    on_best_isa([&]() __attribute__((always_inline)) {
      for (const std::int64_t offset : offsets_) {
        const float* __restrict x = plane + begin + offset;
        for (std::int64_t i = 0; i < count; ++i)
          best[i] = ((x[i] > best[i]) | (x[i] != x[i])) ? x[i] : best[i];
      }
    });
  }
}

}  // namespace braid::cpu
