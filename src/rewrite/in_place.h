#pragma once

#include <optional>
#include <vector>

#include <braid/tensor.h>

#include "ops/shared/window.h"

namespace braid {

/// The tap that reads, for each output, the input at the same place; nothing if there is none.
std::optional<Dims> tap_in_place(const Window& window);

/// Weights [C, C/g, kernel...] by which a convolution hands on what it reads in place, each channel
/// times its factor.
Tensor handing_on(const TensorType& type, std::int64_t groups, const Dims& tap,
                  std::vector<double> factors);

}  // namespace braid
