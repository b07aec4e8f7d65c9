#pragma once

#include <cstdint>
#include <vector>

#include "plan/happens_before.h"

namespace braid {

/// Bytes that are in use from the beginning of the `first` steps until the end of the `last` ones.
struct PackItem {
  std::int64_t bytes = 0;
  std::vector<StepRef> first;  ///< of each stream that writes it, the first step that does
  Frontier last;               ///< of each stream that uses it, the last step that does
};

struct Packing {
  std::vector<std::int64_t> offsets;  ///< one per item, multiples of kArenaAlignment
  std::int64_t bytes = 0;
};

/// Gives items offsets so that two share bytes only if all uses of one end before all uses of the
/// other begin, in every run. Tries best fit in the order of the steps, and, unless too many items
/// are in use at once, best fit by size; keeps the smaller. Deterministic; time grows with the
/// number of pairs that are in use at once, up to a limit. Throws Quota if the sum overflows.
Packing pack(const HappensBefore& order, const std::vector<PackItem>& items);

}  // namespace braid
