#include "device/cpu/kernels/winograd_filters.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/checked.h"
#include "tensor/passing_tensors.h"

namespace braid::cpu {
namespace {

constexpr std::int64_t kTaps = 9;
/// If more than one weight in so many is to be kept aside, all weights are kept.
constexpr std::int64_t kLeastPerAside = 16;
/// How far a weight may be off that comes back, as a share of the largest of its nine.
constexpr float kRounding = 4e-6F;

}  // namespace

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
  const PassingTensors passing;
  packed_ = room_for_constant(bytes());
  for (std::int64_t begin = 0; begin < shape_.columns; begin += shape_.panel_width)
    pack_panel(begin);
  std::ranges::sort(aside_, {}, &Aside::place);
  if (std::ssize(aside_) <= shape_.columns * shape_.channels * kTaps / kLeastPerAside)
    weights_ = {};
  else
    aside_ = {};
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
  float weights[kTaps];
  double filter[kMostWinogradMatrices];
  for (std::int64_t c = 0; c < shape_.channels; ++c)
    for (std::int64_t n = begin; n < begin + width; ++n, ++to) {
      read(n, c, weights);
      transform(weights, filter);
      for (std::int64_t i = 0; i < transforms_.matrices(); ++i)
        to[i * matrix_floats] = static_cast<float>(filter[i]);
      if (n < shape_.columns) note_lost(n, c, weights, to, matrix_floats);
    }
}

/// Zeros for a column that is not there.
void WinogradFilters::read(std::int64_t column, std::int64_t channel, float* to) const {
  constexpr std::int64_t bytes = kTaps * std::int64_t{sizeof(float)};
  // The bytes may be unaligned.
  if (column < shape_.columns)
    std::memcpy(to,
                weights_.bytes().data() +
                    ((shape_.first_column + column) * shape_.channels + channel) * bytes,
                bytes);
  else
    std::fill_n(to, kTaps, 0.0F);
}

void WinogradFilters::transform(const float* g, double* to) const {
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

void WinogradFilters::invert(const float* filter, std::int64_t matrix_floats, float* to) const {
  const std::int64_t last = transforms_.inputs - 1;
  const double first_factor = transforms_.filter[0][0];
  const double second_factor = 2 * transforms_.filter[1][1];
  const auto along = [&](const auto& at, double(&g)[3]) {
    g[0] = at(0) / first_factor;
    g[1] = (at(1) - at(2)) / second_factor;
    g[2] = at(last);
  };
  double half[kMostWinogradInputs][3];
  for (std::int64_t y = 0; y <= last; ++y)
    along(
        [&](std::int64_t x) {
          return static_cast<double>(filter[(y * transforms_.inputs + x) * matrix_floats]);
        },
        half[y]);
  for (int x = 0; x < 3; ++x) {
    double g[3];
    along([&](std::int64_t y) { return half[y][x]; }, g);
    for (int y = 0; y < 3; ++y) to[3 * y + x] = static_cast<float>(g[y]);
  }
}

void WinogradFilters::note_lost(std::int64_t column, std::int64_t channel, const float* weights,
                                const float* filter, std::int64_t matrix_floats) {
  const auto sign = [](float x) { return (x > 0) - (x < 0); };
  float restored[kTaps];
  invert(filter, matrix_floats, restored);
  float largest = 0;
  for (std::int64_t i = 0; i < kTaps; ++i) largest = std::max(largest, std::fabs(weights[i]));
  const auto comes_back = [&](std::int64_t i) {
    return sign(restored[i]) == sign(weights[i]) &&
           std::fabs(restored[i] - weights[i]) <= kRounding * largest;
  };
  for (std::int64_t i = 0; i < kTaps; ++i)
    if (!comes_back(i))
      aside_.push_back({(column * shape_.channels + channel) * kTaps + i, weights[i]});
}

void WinogradFilters::restore(std::int64_t column, CutRange channels, float* to) const {
  const std::int64_t first = (column * shape_.channels + channels.begin) * kTaps;
  const std::int64_t end = first + (channels.end - channels.begin) * kTaps;
  if (weights_.defined()) {
    for (std::int64_t c = channels.begin; c < channels.end; ++c)
      read(column, c, to + (c - channels.begin) * kTaps);
    return;
  }
  const std::int64_t panel = column - column % shape_.panel_width;
  const std::int64_t matrix_floats = place_of(panel, 1) - place_of(panel, 0);
  const float* filter = at(panel, 0) + column - panel;
  for (std::int64_t c = channels.begin; c < channels.end; ++c)
    invert(filter + c * width_of_panel(panel), matrix_floats, to + (c - channels.begin) * kTaps);
  for (auto at = std::ranges::lower_bound(aside_, first, {}, &Aside::place);
       at != aside_.end() && at->place < end; ++at)
    to[at->place - first] = at->weight;
}

}  // namespace braid::cpu
