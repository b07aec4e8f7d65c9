#include "device/cpu/part.h"

namespace braid::cpu {

Cut outermost_cut(const TensorType& type) {
  Cut cut;
  while (static_cast<std::size_t>(cut.axis) + 1 < type.dims.size() &&
         type.dims[static_cast<std::size_t>(cut.axis)] == 1)
    ++cut.axis;
  return cut;
}

CutRange outermost_range(const TensorType& type, const Part& part) {
  const std::int64_t all = element_count(type);
  if (part.count == 1) return {0, all};
  const CutRange range = cut_range(type, part.cut, part.index, part.count);
  const std::int64_t inner = all / type.dims[static_cast<std::size_t>(part.cut.axis)];
  return {range.begin * inner, range.end * inner};
}

}  // namespace braid::cpu
