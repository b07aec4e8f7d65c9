#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cost/simulated_time.h"
#include "sim/engine.h"
#include "sim/ios_calls.h"

namespace braid::sim {

/// A schedule as IOS runs it: stages one after another, in a stage groups side by side, each on a
/// stream, in a group operators in a row. Between two stages the host waits for the device, unless
/// both have one group.
using IosGroup = std::vector<IosUnit>;
using IosStage = std::vector<IosGroup>;

struct IosSchedule {
  std::string name;  ///< of the model
  std::vector<IosStage> stages;
};

/// Reads a schedule file that IOS wrote, to be run at this batch. At batch 1 a slice of another
/// operator's channels is read in place; at others it is copied first by each that reads it. Throws
/// Model with the place; `origin` is its name for messages.
IosSchedule parse_ios_schedule(const GpuSpec& gpu, std::string_view text, std::string_view origin,
                               std::int64_t batch = 1);

/// The operators of a schedule one after another.
std::vector<IosStage> one_by_one(const std::vector<IosStage>& stages);

/// What the host launches.
std::vector<Launch> ios_launches(const std::vector<IosStage>& stages);
/// The time of the stages as IOS measures it: from the host's first call to the end of the last
/// kernel, which no device sync follows.
SimulatedTime ios_time(const GpuSpec& gpu, const std::vector<IosStage>& stages);
/// The nominal time of one stage as IOS measures it while it searches: again and again, with a
/// device sync after each run if it has several groups.
double ios_stage_us(const GpuSpec& gpu, const IosStage& stage);

}  // namespace braid::sim
