#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cost/cost_model.h"
#include "plan/plan.h"
#include "schedule/schedulers.h"

namespace braid {

/// How a Plan came to need less memory than its scheduler gave it.
enum class Thrift {
  None,      ///< as the scheduler made it
  Shared,    ///< waits were added so that values which do not meet share bytes
  Throttled  ///< steps were also put off until memory was free
};
std::string_view name(Thrift thrift);

/// A Plan and the time that it is thought to take.
struct Judged {
  Plan plan;
  double time_us = 0;
  Thrift thrift = Thrift::None;
};

struct BudgetOptions {
  /// The scheduler whose Plans are tried, on all streams and on fewer; those of all quick
  /// schedulers, too, if it tries others. One stream alone is always tried.
  std::string scheduler = "braid";
  ScheduleOptions schedule = {};  ///< `adapt` holds for all schedulers
};

/// The fastest of the Plans that were tried whose arena has at most `bytes`: schedulers on fewer
/// and fewer streams, each as it is, with waits added so that bytes are shared, or throttled
/// (plan/thrift.h). Throws Quota, telling the least arena that was found, if none fits.
Judged plan_within(const Graph& graph, const CostModel& costs, const DeviceSpec& device,
                   const BudgetOptions& options, std::int64_t bytes);

/// The fastest of these Plans that can be made to fit, in the same ways; nothing if none can.
std::optional<Judged> fastest_within(const std::vector<Plan>& plans, const Graph& graph,
                                     const CostModel& costs, const DeviceSpec& device,
                                     const BudgetOptions& options, std::int64_t bytes);

/// Memory against time: the Plans than which no other that was tried is both smaller and faster,
/// smallest first.
std::vector<Judged> trade_offs(const Graph& graph, const CostModel& costs, const DeviceSpec& device,
                               const BudgetOptions& options);

}  // namespace braid
