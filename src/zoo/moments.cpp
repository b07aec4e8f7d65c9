#include "zoo/moments.h"

#include <cmath>
#include <numbers>

#include "base/error.h"

namespace braid {
namespace {

Moments spread(Moments x, double deviations_up, double variance_kept) {
  for (std::size_t c = 0; c < x.channels(); ++c) {
    x.mean[c] += deviations_up * std::sqrt(x.variance[c]);
    x.variance[c] *= variance_kept;
  }
  return x;
}

}  // namespace

Moments standard_moments(std::int64_t channels) {
  const auto n = static_cast<std::size_t>(channels);
  return {std::vector<double>(n, 0.0), std::vector<double>(n, 1.0)};
}

Moments convolved(const Moments& x, const Tensor& weight, std::int64_t groups) {
  const auto outputs = static_cast<std::size_t>(weight.dims()[0]);
  const auto inputs = static_cast<std::size_t>(weight.dims()[1]);
  require(inputs * static_cast<std::size_t>(groups) == x.channels(), "weights fit their input");
  const std::size_t per_group = outputs / static_cast<std::size_t>(groups);
  const auto elements = weight.data<float>();
  const std::size_t taps = elements.size() / (outputs * inputs);
  Moments y{std::vector<double>(outputs), std::vector<double>(outputs)};
  for (std::size_t o = 0; o < outputs; ++o) {
    const std::size_t first = o / per_group * inputs;
    for (std::size_t i = 0; i < inputs; ++i) {
      double sum = 0;
      double squares = 0;
      for (const float w : elements.subspan((o * inputs + i) * taps, taps)) {
        sum += w;
        squares += static_cast<double>(w) * w;
      }
      y.mean[o] += sum * x.mean[first + i];
      y.variance[o] += squares * x.variance[first + i];
    }
  }
  return y;
}

Moments scaled(Moments x, std::span<const double> scale, std::span<const double> shift) {
  for (std::size_t c = 0; c < x.channels(); ++c) {
    x.mean[c] = x.mean[c] * scale[c] + shift[c];
    x.variance[c] *= scale[c] * scale[c];
  }
  return x;
}

Moments rectified(Moments x) {
  for (std::size_t c = 0; c < x.channels(); ++c) {
    const double mean = x.mean[c];
    const double deviation = std::sqrt(x.variance[c]);
    const double t = mean / deviation;
    const double density = std::exp(-t * t / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
    const double above = 0.5 * std::erfc(-t / std::numbers::sqrt2);
    const double square = (mean * mean + x.variance[c]) * above + mean * deviation * density;
    x.mean[c] = mean * above + deviation * density;
    x.variance[c] = square - x.mean[c] * x.mean[c];
  }
  return x;
}

// The constants fit measured runs of the models on random inputs.
Moments max_pooled(Moments x) { return spread(std::move(x), 1.2, 0.45); }
Moments average_pooled(Moments x) { return spread(std::move(x), 0, 0.3); }
Moments globally_pooled(Moments x) { return spread(std::move(x), 0, 0.05); }

Moments sum(Moments a, const Moments& b) {
  require(a.channels() == b.channels(), "summands have the same channels");
  for (std::size_t c = 0; c < a.channels(); ++c) {
    a.mean[c] += b.mean[c];
    a.variance[c] += b.variance[c];
  }
  return a;
}

Moments concatenated(std::span<const Moments> parts) {
  Moments all;
  for (const Moments& part : parts) {
    all.mean.insert(all.mean.end(), part.mean.begin(), part.mean.end());
    all.variance.insert(all.variance.end(), part.variance.begin(), part.variance.end());
  }
  return all;
}

double rounded(double number) {
  int exponent = 0;
  const double mantissa = std::frexp(number, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(mantissa, 12)), exponent - 12);
}

}  // namespace braid
