#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <braid/tensor.h>

namespace braid {

/// The axis counted from the front. Throws Model, naming the operator, unless -rank <= axis < rank.
std::int64_t normal_axis(std::string_view op, std::int64_t axis, std::int64_t rank);

/// The same for a list, in the order given. Throws Model if an axis is named twice.
std::vector<std::int64_t> normal_axes(std::string_view op, std::vector<std::int64_t> axes,
                                      std::int64_t rank);

/// The number of elements that dims[first..last) span; 1 for none of them.
std::int64_t span_of(const Dims& dims, std::int64_t first, std::int64_t last);

/// A shape seen from one of its axes: `outer` blocks of `length` slices of `inner` elements.
struct AxisView {
  std::int64_t outer = 1;
  std::int64_t length = 1;
  std::int64_t inner = 1;
};
/// `axis` is within the shape.
AxisView view_along(const Dims& dims, std::int64_t axis);

}  // namespace braid
