#pragma once

#include <cstdint>

#include "measure/profile.h"

namespace braid {

/// Costs that tell graphs apart which are much alike, such as those that a search over graphs
/// tries. An operator that was not met before is measured whole and alone, a few times, and
/// remembered as long as this lives; parts, and what a neighbour does, are modelled for all alike.
/// The device outlives it.
class Glances {
 public:
  /// The lowered graph that the others are like, and what is known of its operators.
  Glances(const Device& device, const Graph& lowered, const CostTable& known);

  /// Measures what is missing of the graph. Throws Cancelled if `progress` says so.
  const CostTable& costs(const Graph& lowered, const Progress& progress);

 private:
  const Device& device_;
  std::int64_t between_bytes_;
  CostTable costs_;
};

}  // namespace braid
