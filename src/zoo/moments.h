#pragma once

#include <span>
#include <vector>

#include <braid/tensor.h>

namespace braid::zoo {

/// Mean and variance of a value's elements, channel by channel, over inputs and positions: what
/// BatchNormalization's statistics would be after training. Estimated, not measured: exact for
/// convolutions with independent weights, a Gaussian approximation after activations and pools.
struct Moments {
  std::vector<double> mean;
  std::vector<double> variance;
  double alikeness = 0;  ///< correlation of neighbours in a row or column

  std::size_t channels() const { return mean.size(); }
};

/// The moments of random inputs: independent elements between -1 and 1.
Moments input_moments(std::int64_t channels);
/// The moments after a convolution without bias or a product with a weight [outputs, inputs].
Moments convolved(const Moments& x, const Tensor& weight, std::int64_t groups);
/// The moments of scale * x + shift.
Moments scaled(Moments x, std::span<const double> scale, std::span<const double> shift);
Moments rectified(Moments x);
/// The moments of every `stride`-th element.
Moments strided(Moments x, std::int64_t stride);
/// The moments of the largest element, and of the mean, in windows of kernel x kernel elements.
Moments max_pooled(Moments x, std::int64_t kernel);
Moments average_pooled(Moments x, std::int64_t kernel);
Moments sum(Moments a, const Moments& b);
Moments concatenated(std::span<const Moments> parts);
/// The moments if each element of a channel becomes a channel: `times` of them, one after another.
Moments repeated(const Moments& x, std::int64_t times);

/// The number with its mantissa cut to 12 bits, so that the last bits of a maths library never
/// reach a model.
double rounded(double number);

}  // namespace braid::zoo
