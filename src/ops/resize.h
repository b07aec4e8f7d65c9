#pragma once

#include "ops/op.h"

namespace braid {

/// How a Resize makes each output index along one axis from the input's: by a weighted sum of
/// `taps` positions. All of it follows from attributes and known inputs.
struct ResizeAxis {
  std::int64_t taps = 1;
  std::vector<std::int64_t> positions;  ///< output extent x taps; within the input
  std::vector<double> weights;          ///< output extent x taps
  std::vector<bool> outside;            ///< tf_crop_and_resize: takes the extrapolation value

  bool identity(std::int64_t input) const;
};

struct ResizeGeometry {
  Dims input;
  Dims output;
  std::vector<double> scales;  ///< of each axis
  std::vector<bool> resized;   ///< the axes that take part
};

/// Resize(x, roi?, scales?, sizes?) and Upsample(x, scales). Throws Model, saying what does not
/// fit, or Unsupported if scales or sizes are not known.
ResizeGeometry resize_geometry(const OpCall& call);
ResizeAxis resize_axis(const OpCall& call, const ResizeGeometry& resize, std::size_t axis);
/// Whether the elements are picked (mode nearest), not summed, so that every type is exact.
bool resizes_by_picking(const OpCall& call);

}  // namespace braid
