#pragma once

#include <string>
#include <vector>

#include "cost/simulated_time.h"
#include "graph/graph.h"
#include "sim/engine.h"
#include "sim/kernels.h"

namespace braid::gpu_model {

/// A schedule as IOS runs it: stages one after another, in a stage groups side by side, in a group
/// operators in a row. Between two stages the host waits for the device, unless both have one
/// group.
struct Unit {
  std::vector<sim::Kernel> kernels;
};
using Group = std::vector<Unit>;
using Stage = std::vector<Group>;

/// What the host launches; ends with a device sync.
std::vector<sim::Launch> launches_of(const std::vector<Stage>& stages);
SimulatedTime time_of(const sim::GpuSpec& gpu, const std::vector<Stage>& stages);

/// cuDNN 7, which IOS was measured with.
sim::KernelOptions ios_library();

/// A graph's operators as IOS counts them: activations, depthwise and pointwise convolutions in a
/// row are one.
struct Units {
  std::vector<Unit> units;
  std::vector<std::size_t> levels;  ///< the longest way from the inputs
};
Units units_of(const sim::GpuSpec& gpu, const Graph& graph);

/// One unit after another, and all units of a level side by side (at most ten).
std::vector<Stage> sequential(const Units& units);
std::vector<Stage> greedy(const Units& units);

/// The stages of a schedule file that IOS wrote.
std::vector<Stage> read_ios_schedule(const sim::GpuSpec& gpu, const std::string& path);

}  // namespace braid::gpu_model
