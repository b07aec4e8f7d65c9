#pragma once

#include "ops/shared/window.h"

namespace braid {

/// Conv(x [N,Ci,spatial...], w [Co,Ci/groups,kernel...], bias? [Co], residual?): what its
/// attributes and shapes say, checked.
struct ConvGeometry {
  std::int64_t batch = 0;
  std::int64_t in_channels = 0;
  std::int64_t out_channels = 0;
  std::int64_t groups = 1;
  Window window;

  std::int64_t in_channels_of_group() const { return in_channels / groups; }
  std::int64_t out_channels_of_group() const { return out_channels / groups; }
  /// [N,Co,spatial...]
  Dims output_dims() const;
  bool operator==(const ConvGeometry&) const = default;
};

/// Whether each output pixel reads only the input pixel at its own place.
bool is_pointwise(const Window& window);

/// Throws Model, saying what does not fit.
ConvGeometry conv_geometry(const OpCall& call);

/// ConvTranspose(x [N,Ci,spatial...], w [Ci,Co/groups,kernel...], bias? [Co]).
struct ConvTransposeGeometry {
  std::int64_t batch = 0;
  std::int64_t in_channels = 0;
  std::int64_t out_channels = 0;
  std::int64_t groups = 1;
  /// The window of the convolution that is transposed: it reads our output and writes our input.
  /// Input i adds to the outputs i * stride - pad_begin + k * dilation; pads may be negative.
  Window window;

  std::int64_t in_channels_of_group() const { return in_channels / groups; }
  std::int64_t out_channels_of_group() const { return out_channels / groups; }
  /// [N,Co,spatial...]
  Dims output_dims() const;
  bool operator==(const ConvTransposeGeometry&) const = default;
};

/// Throws Model, saying what does not fit.
ConvTransposeGeometry conv_transpose_geometry(const OpCall& call);

}  // namespace braid
