#include "tensor/tolerance.h"

#include <algorithm>

namespace braid {

Tolerance usual_tolerance(ElementType type) {
  switch (type) {
    case ElementType::F16:
      return {0x1p-22, 0x1p-8};
    case ElementType::BF16:
      return {0x1p-126, 0x1p-5};
    case ElementType::F32:
    case ElementType::F64:  // of which much was computed in float32
      return {0x1p-126, 1e-4};
    default:
      return {};
  }
}

Tolerance usual_tolerance(ElementType one, ElementType other) {
  const Tolerance a = usual_tolerance(one);
  const Tolerance b = usual_tolerance(other);
  return {std::max(a.absolute, b.absolute), std::max(a.relative, b.relative)};
}

}  // namespace braid
