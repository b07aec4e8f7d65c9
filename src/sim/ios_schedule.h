#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cost/simulated_time.h"
#include "sim/engine.h"
#include "sim/kernels.h"

namespace braid::sim {

/// A schedule as IOS runs it: stages one after another, in a stage groups side by side, each on a
/// stream, in a group operators in a row. Between two stages the host waits for the device, unless
/// both have one group.
using IosUnit = std::vector<Kernel>;  ///< the kernels of an operator
using IosGroup = std::vector<IosUnit>;
using IosStage = std::vector<IosGroup>;

struct IosSchedule {
  std::string name;  ///< of the model
  std::vector<IosStage> stages;
};

/// cuDNN 7, which IOS was measured with.
KernelOptions ios_library();

/// Reads a schedule file that IOS wrote, batch 1. Throws Model with the place; `origin` is its name
/// for messages.
IosSchedule parse_ios_schedule(const GpuSpec& gpu, std::string_view text, std::string_view origin);

/// The operators of a schedule one after another.
std::vector<IosStage> one_by_one(const std::vector<IosStage>& stages);

/// What the host launches.
std::vector<Launch> ios_launches(const std::vector<IosStage>& stages);
/// The time of the stages, with a device sync at the end.
SimulatedTime ios_time(const GpuSpec& gpu, const std::vector<IosStage>& stages);

}  // namespace braid::sim
