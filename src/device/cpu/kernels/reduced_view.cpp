#include "device/cpu/kernels/reduced_view.h"

#include <algorithm>

namespace braid::cpu {

std::optional<AxisView> reduced_view(const Dims& dims, const AxisOrder& order,
                                     const std::vector<std::int64_t>& axes) {
  AxisView view;
  std::int64_t behind = 1;  // of axes behind the reduced ones
  bool reducing = false;
  for (const std::size_t axis : whole_order(order, dims.size())) {
    if (dims[axis] == 1) continue;
    if (std::ranges::count(axes, static_cast<std::int64_t>(axis)) > 0) {
      if (behind > 1) return std::nullopt;
      reducing = true;
      view.length *= dims[axis];
    } else {
      (reducing ? behind : view.outer) *= dims[axis];
    }
  }
  view.inner = behind;
  if (!reducing) std::swap(view.outer, view.inner);
  return view;
}

AxisOrder reduced_order(const AxisOrder& order, const Dims& dims, const Dims& output,
                        const std::vector<std::int64_t>& axes) {
  if (output.size() == dims.size()) return order;
  AxisOrder rest;
  for (const std::size_t axis : whole_order(order, dims.size())) {
    const auto before = std::ranges::count_if(
        axes, [&](std::int64_t other) { return other < static_cast<std::int64_t>(axis); });
    if (std::ranges::count(axes, static_cast<std::int64_t>(axis)) == 0)
      rest.push_back(axis - static_cast<std::size_t>(before));
  }
  return normal_order(std::move(rest));
}

}  // namespace braid::cpu
