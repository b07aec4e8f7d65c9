#pragma once

#include <vector>

#include "ops/op.h"

namespace braid {

/// What a Slice takes of one axis: `count` elements from `start` on, `step` apart. `step` is 1 if
/// there are fewer than two.
struct SliceRange {
  std::int64_t start = 0;
  std::int64_t step = 1;
  std::int64_t count = 0;
};

/// One range per axis of the input. Throws Model, or Unsupported if the bounds are not known.
std::vector<SliceRange> slice_ranges(const OpCall& call);

}  // namespace braid
