#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace braid {

/// The axes of a dense value from the slowest to the fastest in memory: {0, 2, 3, 1} is channels
/// last. Empty: row-major.
using AxisOrder = std::vector<std::size_t>;

/// {0, 2, …, 1}. The rank is at least 2.
AxisOrder channels_last_order(std::size_t rank);
/// The order with all its axes, also if it is row-major; normal_order() is the other way round.
AxisOrder whole_order(const AxisOrder& order, std::size_t rank);
AxisOrder normal_order(AxisOrder order);

/// How a lowered graph calls an order: "" for row-major, "nhwc" (or "nwc", "ndhwc") for channels
/// last, else a letter for each axis ("acbd" swaps the middle two of four).
std::string layout_name(const AxisOrder& order);
/// The order that a layout names for a value of this rank; nothing if it names none.
std::optional<AxisOrder> order_named(const std::string& layout, std::size_t rank);

/// Elements by which a step along each axis moves.
Dims strides_in(const Dims& dims, const AxisOrder& order);
/// Whether every element has the same place in both orders.
bool same_places(const Dims& dims, const AxisOrder& a, const AxisOrder& b);
/// dims[order[0]], dims[order[1]], …
Dims permuted(const Dims& dims, const AxisOrder& order);
/// The order of a dense value with these strides; nothing if it is not dense. Axes of one element
/// may have any stride.
std::optional<AxisOrder> order_of_strides(const Dims& dims, const Dims& strides);

}  // namespace braid
