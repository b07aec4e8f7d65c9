#pragma once

#include <functional>
#include <limits>

#include "cost/cost_model.h"
#include "plan/plan.h"
#include "plan/timeline.h"
#include "schedule/arrangement.h"
#include "schedule/part_costs.h"

namespace braid {

/// Judges Plans: the time of one run in microseconds. Less is better. It may give up on a Plan that
/// seems to take longer than the second argument says, with an answer that is greater than that.
using Evaluate = std::function<double(const Plan&, double give_up_us)>;
inline constexpr double kNeverGiveUp = std::numeric_limits<double>::infinity();

/// Runs a Plan on a model of the device.
///
/// A step begins when the one before it on its stream has ended and `wait_us` after the last of
/// those that it waits for. It takes the time that the CostModel names as long as the shares of
/// memory bandwidth, and those of arithmetic, of all that runs beside one another sum to at most 1;
/// if a sum is above, all that runs is slower by it.
Timeline simulate_lanes(const Graph& graph, const CostModel& costs, const DeviceSpec& device,
                        const Plan& plan);

/// The same for an arrangement, without making a Plan of it: the end of its last step in
/// microseconds.
double simulate_us(const TaskGraph& tasks, const PartCosts& costs, const DeviceSpec& device,
                   const Arrangement& arrangement);

}  // namespace braid
