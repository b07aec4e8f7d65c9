#pragma once

#include <braid/tensor.h>

#include "graph/layout.h"

namespace braid::cpu {

/// A constant's elements in another order.
Tensor in_order(const Tensor& constant, const AxisOrder& order);

}  // namespace braid::cpu
