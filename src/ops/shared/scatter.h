#pragma once

#include <string_view>

#include "ops/op.h"
#include "ops/shared/arithmetic.h"

namespace braid {

/// What the Scatter operators do with an element that is there already.
enum class Reduction { None, Add, Multiply, Max, Min };

/// The attribute `reduction`. Throws Model if it is none of ONNX's.
Reduction reduction_of(const OpCall& call);

/// The element after an update. Truth values add by "or" and multiply by "and".
template <class C>
C combine(Reduction reduction, C old, C update) {
  switch (reduction) {
    case Reduction::None:
      return update;
    case Reduction::Add:
      if constexpr (std::same_as<C, bool>)
        return old || update;
      else
        return add(old, update);
    case Reduction::Multiply:
      if constexpr (std::same_as<C, bool>)
        return old && update;
      else
        return multiply(old, update);
    case Reduction::Max:
      return larger(old, update);
    case Reduction::Min:
      return smaller(old, update);
  }
  return update;
}

}  // namespace braid
