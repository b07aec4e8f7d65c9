#pragma once

#include <optional>
#include <vector>

#include "graph/layout.h"
#include "ops/shared/axes.h"

namespace braid::cpu {

/// The shape as it lies in memory, seen from the axes that are reduced; nothing if others lie
/// between these.
std::optional<AxisView> reduced_view(const Dims& dims, const AxisOrder& order,
                                     const std::vector<std::int64_t>& axes);

/// The order of what is left of a value in `order`, of as many axes as `output` has: with ones for
/// the reduced axes or without them.
AxisOrder reduced_order(const AxisOrder& order, const Dims& dims, const Dims& output,
                        const std::vector<std::int64_t>& axes);

}  // namespace braid::cpu
