#include "device/cpu/kernels/part.h"

namespace braid::cpu {

std::vector<Cut> cuts_in(const TensorType& type, const AxisOrder& order) {
  for (const std::size_t axis : whole_order(order, type.dims.size()))
    if (type.dims[axis] > 1) return {{.axis = static_cast<int>(axis)}};
  return {};
}

std::vector<Cut> cuts_before(const TensorType& type, std::int64_t axis) {
  std::vector<Cut> cuts = cuts_in(type, {});
  if (!cuts.empty() && cuts[0].axis >= axis) cuts.clear();
  return cuts;
}

CutRange outermost_range(const TensorType& type, const Part& part) {
  const std::int64_t all = element_count(type);
  if (part.count == 1) return {0, all};
  const CutRange range = cut_range(type, part.cut, part.index, part.count);
  const std::int64_t inner = all / type.dims[static_cast<std::size_t>(part.cut.axis)];
  return {range.begin * inner, range.end * inner};
}

}  // namespace braid::cpu
