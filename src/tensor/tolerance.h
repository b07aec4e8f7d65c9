#pragma once

#include <braid/tensor.h>

namespace braid {

/// How far results may be apart that mean the same: `absolute` + `relative` × the largest element
/// of what is expected.
struct Tolerance {
  double absolute = 0;
  double relative = 0;

  double of(double largest) const { return absolute + relative * largest; }
};

/// What other orders of summation, and ways that save operations, explain in elements of a type. Of
/// the small floats it is four units in the last place. `absolute` is as small as the least numbers
/// of the type, so that it decides only where all that is expected is zero. Integers and truth
/// values are exact.
Tolerance usual_tolerance(ElementType type);

/// The larger one: of results that were computed in one type and in another.
Tolerance usual_tolerance(ElementType one, ElementType other);

}  // namespace braid
