#include "zoo/moments.h"

#include <cmath>
#include <numbers>
#include <numeric>

#include "base/error.h"

namespace braid::zoo {
namespace {

Moments spread(Moments x, double deviations_up, double variance_kept) {
  for (std::size_t c = 0; c < x.channels(); ++c) {
    x.mean[c] += deviations_up * std::sqrt(x.variance[c]);
    x.variance[c] *= variance_kept;
  }
  return x;
}

/// The mean correlation of two elements of a row of `length` whose correlation decays
/// geometrically with distance, each with itself included.
double mean_correlation(double alikeness, std::int64_t length) {
  double total = static_cast<double>(length);
  double power = 1;
  for (std::int64_t distance = 1; distance < length; ++distance) {
    power *= alikeness;
    total += 2 * power * static_cast<double>(length - distance);
  }
  return total / static_cast<double>(length * length);
}

/// Neighbouring windows at stride 1 share all but one of their rows.
double alikeness_of_windows(double alikeness, std::int64_t kernel) {
  const double shared = 1 - 1 / static_cast<double>(kernel);
  return shared + (1 - shared) * alikeness;
}

double total_variance(const Moments& x) {
  return std::accumulate(x.variance.begin(), x.variance.end(), 0.0);
}

}  // namespace

Moments input_moments(std::int64_t channels) {
  const auto n = static_cast<std::size_t>(channels);
  return {std::vector<double>(n, 0.0), std::vector<double>(n, 1.0 / 3), 0};
}

Moments convolved(const Moments& x, const Tensor& weight, std::int64_t groups) {
  const auto outputs = static_cast<std::size_t>(weight.dims()[0]);
  const auto inputs = static_cast<std::size_t>(weight.dims()[1]);
  require(inputs * static_cast<std::size_t>(groups) == x.channels(), "weights fit their input");
  const std::size_t per_group = outputs / static_cast<std::size_t>(groups);
  const auto elements = weight.data<float>();
  const std::size_t taps = elements.size() / (outputs * inputs);
  Moments y{std::vector<double>(outputs), std::vector<double>(outputs), x.alikeness};
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
  x.alikeness = 0.86 * x.alikeness + 0.14 * x.alikeness * x.alikeness + 0.02;
  return x;
}

Moments strided(Moments x, std::int64_t stride) {
  x.alikeness = std::pow(x.alikeness, static_cast<double>(stride));
  return x;
}

Moments max_pooled(Moments x, std::int64_t kernel) {
  // Fits the largest of 4 to 9 independent rectified normal elements.
  const double up = 0.73 * std::log(static_cast<double>(kernel * kernel));
  const double alike = x.alikeness;
  x = spread(std::move(x), up * std::sqrt(1 - alike), 0.6 * (1 - alike) + alike);
  x.alikeness = alikeness_of_windows(alike, kernel);
  return x;
}

Moments average_pooled(Moments x, std::int64_t kernel) {
  const double along_one_axis = mean_correlation(x.alikeness, kernel);
  const double alikeness = alikeness_of_windows(x.alikeness, kernel);
  x = spread(std::move(x), 0, along_one_axis * along_one_axis);
  x.alikeness = alikeness;
  return x;
}

Moments sum(Moments a, const Moments& b) {
  require(a.channels() == b.channels(), "summands have the same channels");
  const double share = total_variance(a) / (total_variance(a) + total_variance(b));
  a.alikeness = share * a.alikeness + (1 - share) * b.alikeness;
  for (std::size_t c = 0; c < a.channels(); ++c) {
    a.mean[c] += b.mean[c];
    a.variance[c] += b.variance[c];
  }
  return a;
}

Moments concatenated(std::span<const Moments> parts) {
  Moments all;
  double weight = 0;
  for (const Moments& part : parts) {
    all.mean.insert(all.mean.end(), part.mean.begin(), part.mean.end());
    all.variance.insert(all.variance.end(), part.variance.begin(), part.variance.end());
    all.alikeness += part.alikeness * total_variance(part);
    weight += total_variance(part);
  }
  all.alikeness /= weight;
  return all;
}

Moments repeated(const Moments& x, std::int64_t times) {
  Moments y;
  y.alikeness = x.alikeness;
  for (std::size_t c = 0; c < x.channels(); ++c) {
    y.mean.insert(y.mean.end(), static_cast<std::size_t>(times), x.mean[c]);
    y.variance.insert(y.variance.end(), static_cast<std::size_t>(times), x.variance[c]);
  }
  return y;
}

double rounded(double number) {
  int exponent = 0;
  const double mantissa = std::frexp(number, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(mantissa, 12)), exponent - 12);
}

}  // namespace braid::zoo
