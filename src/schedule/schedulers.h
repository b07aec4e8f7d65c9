#pragma once

#include <string_view>
#include <vector>

#include "cost/cost_model.h"
#include "plan/plan.h"

namespace braid {

struct ScheduleOptions {
  int streams = 0;  ///< at most this many; 0: as many as the device has
};

using SchedulerFunction = Plan (*)(const Graph&, const CostModel&, const DeviceSpec&,
                                   const ScheduleOptions&);

struct Scheduler {
  std::string_view name;
  std::string_view help;  ///< one line
  SchedulerFunction run;
};

/// One row per scheduler, in the order in which they are shown.
const std::vector<Scheduler>& schedulers();
/// Throws Usage, listing the names, if there is none of that name.
const Scheduler& scheduler_named(std::string_view name);

Plan sequential(const Graph& graph, const CostModel& costs, const DeviceSpec& device,
                const ScheduleOptions& options);

}  // namespace braid
