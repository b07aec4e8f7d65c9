#include "ops/shared/axes.h"

#include <fmt/format.h>

#include "base/error.h"

namespace braid {

std::int64_t normal_axis(std::string_view op, std::int64_t axis, std::int64_t rank) {
  if (axis < -rank || axis >= rank)
    raise(ErrorKind::Model,
          fmt::format("axis {} of {} is outside a tensor of rank {}", axis, op, rank));
  return axis < 0 ? axis + rank : axis;
}

std::vector<std::int64_t> normal_axes(std::string_view op, std::vector<std::int64_t> axes,
                                      std::int64_t rank) {
  std::vector<bool> seen(static_cast<std::size_t>(rank), false);
  for (std::int64_t& axis : axes) {
    axis = normal_axis(op, axis, rank);
    if (seen[static_cast<std::size_t>(axis)])
      raise(ErrorKind::Model, fmt::format("axis {} of {} is named twice", axis, op));
    seen[static_cast<std::size_t>(axis)] = true;
  }
  return axes;
}

std::int64_t span_of(const Dims& dims, std::int64_t first, std::int64_t last) {
  return element_count(Dims(dims.begin() + first, dims.begin() + last));
}

AxisView view_along(const Dims& dims, std::int64_t axis) {
  const auto rank = static_cast<std::int64_t>(dims.size());
  return {span_of(dims, 0, axis), dims[static_cast<std::size_t>(axis)],
          span_of(dims, axis + 1, rank)};
}

}  // namespace braid
