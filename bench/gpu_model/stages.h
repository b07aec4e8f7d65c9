#pragma once

#include <vector>

#include "graph/graph.h"
#include "sim/ios_schedule.h"

namespace braid::gpu_model {

/// A graph's operators as IOS counts them: activations, depthwise and pointwise convolutions in a
/// row are one.
struct Units {
  std::vector<sim::IosUnit> units;
  std::vector<std::size_t> levels;  ///< the longest way from the inputs
};
Units units_of(const sim::GpuSpec& gpu, const Graph& graph);

/// One unit after another, and all units of a level side by side (at most ten).
std::vector<sim::IosStage> sequential(const Units& units);
std::vector<sim::IosStage> greedy(const Units& units);

}  // namespace braid::gpu_model
