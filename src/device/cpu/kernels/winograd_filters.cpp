#include "device/cpu/kernels/winograd_filters.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/checked.h"

namespace braid::cpu {

WinogradFilters::WinogradFilters(Tensor weights, const WinogradTransforms& transforms,
                                 const Shape& shape)
    : weights_(std::move(weights)), transforms_(transforms), shape_(shape) {}

std::int64_t WinogradFilters::bytes() const {
  const std::int64_t columns = ceil_div(shape_.columns, shape_.lanes) * shape_.lanes;
  const std::int64_t floats =
      checked_mul(columns, checked_mul(transforms_.matrices(), shape_.channels));
  return checked_mul(floats, std::int64_t{sizeof(float)});
}

void WinogradFilters::make() {
  const std::scoped_lock lock(making_);
  if (packed_.bytes != nullptr) return;
  packed_ = room_for_constant(bytes());
  for (std::int64_t begin = 0; begin < shape_.columns; begin += shape_.panel_width)
    pack_panel(begin);
  weights_ = {};
}

const float* WinogradFilters::at(std::int64_t column, std::int64_t matrix) const {
  return reinterpret_cast<const float*>(packed_.bytes) + place_of(column, matrix);
}

std::int64_t WinogradFilters::width_of_panel(std::int64_t column) const {
  const std::int64_t columns = std::min(shape_.panel_width, shape_.columns - column);
  return ceil_div(columns, shape_.lanes) * shape_.lanes;
}

std::int64_t WinogradFilters::width_of_band(std::int64_t column) const {
  const std::int64_t columns = std::min(shape_.band_width, shape_.columns - column);
  return ceil_div(columns, shape_.lanes) * shape_.lanes;
}

std::int64_t WinogradFilters::place_of(std::int64_t column, std::int64_t matrix) const {
  const std::int64_t band = column - column % shape_.band_width;
  return (transforms_.matrices() * band + matrix * width_of_band(band) + column - band) *
         shape_.channels;
}

void WinogradFilters::pack_panel(std::int64_t begin) {
  const std::int64_t width = width_of_panel(begin);
  const std::int64_t matrix_floats = place_of(begin, 1) - place_of(begin, 0);
  auto* to = reinterpret_cast<float*>(packed_.bytes) + place_of(begin, 0);
  double filter[kMostWinogradMatrices];
  for (std::int64_t c = 0; c < shape_.channels; ++c)
    for (std::int64_t n = begin; n < begin + width; ++n, ++to) {
      transform(n, c, filter);
      for (std::int64_t i = 0; i < transforms_.matrices(); ++i)
        to[i * matrix_floats] = static_cast<float>(filter[i]);
    }
}

/// Zeros for a column that is not there.
void WinogradFilters::transform(std::int64_t column, std::int64_t channel, double* to) const {
  float g[9] = {};
  // The bytes may be unaligned.
  if (column < shape_.columns)
    std::memcpy(
        g, weights_.bytes().data() + (column * shape_.channels + channel) * std::int64_t{sizeof g},
        sizeof g);
  const auto along = [&](std::int64_t row, double first, double second, double third) {
    const double* factors = transforms_.filter[row];
    return factors[0] * first + factors[1] * second + factors[2] * third;
  };
  for (std::int64_t y = 0; y < transforms_.inputs; ++y) {
    double half[3];
    for (int x = 0; x < 3; ++x) half[x] = along(y, g[x], g[3 + x], g[6 + x]);
    for (std::int64_t x = 0; x < transforms_.inputs; ++x)
      *to++ = along(x, half[0], half[1], half[2]);
  }
}

}  // namespace braid::cpu
