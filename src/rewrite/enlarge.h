#pragma once

#include <optional>

#include <braid/tensor.h>

#include "ops/shared/window.h"

namespace braid {

/// The least window under which two convolutions of inputs of the same extents can be computed
/// together: the same strides, and kernels that either are equal or, without dilation, grow to the
/// larger one by zeros on all sides, with pads that grow as much. Nothing if there is none.
///
///     kernel [1,3] pads [0,1,0,1]  and  kernel [3,1] pads [1,0,1,0]:  kernel [3,3] pads [1,1,1,1]
std::optional<Window> common_window(const Window& a, const Window& b);

/// Weights [Co, C/g, kernel...] with zeros on all sides, up to this kernel.
Tensor enlarged(const Tensor& weights, const Dims& kernel);

}  // namespace braid
