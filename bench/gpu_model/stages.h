#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"
#include "sim/ios_schedule.h"

namespace braid::gpu_model {

/// A graph's operators as IOS counts them: activations, depthwise and pointwise convolutions in a
/// row are one, and nothing comes after the last pool.
struct Units {
  std::vector<sim::IosUnit> units;                ///< in topological order
  std::vector<std::vector<std::int32_t>> before;  ///< by unit, distinct
};
Units units_of(const sim::GpuSpec& gpu, const Graph& graph);

/// One unit after another.
std::vector<sim::IosStage> sequential(const Units& units);
/// All units of a level side by side, at most ten.
std::vector<sim::IosStage> greedy(const Units& units);
/// The stages that IOS's dynamic programming finds when it measures stages on this GPU, with at
/// most `groups` groups of at most `group_units` units each.
std::vector<sim::IosStage> searched(const sim::GpuSpec& gpu, const Units& units, int group_units,
                                    int groups);

}  // namespace braid::gpu_model
