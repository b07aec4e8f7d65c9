#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cost/cost_model.h"
#include "plan/plan.h"

namespace braid {

/// What a stream has to do, in numbers. Views take no time; they count as steps.
struct StreamSummary {
  std::int64_t steps = 0;
  std::int64_t parts = 0;  ///< steps that are parts of a cut operator
  std::int64_t waits = 0;  ///< for steps of other streams
  double busy_us = 0;      ///< the sum of its steps' costs, each alone
};

struct PlanSummary {
  std::vector<StreamSummary> streams;
  StreamSummary total;
  std::int64_t cut_nodes = 0;
};

PlanSummary summarise(const Graph& lowered, const Plan& plan, const CostModel& costs);

/// A line per step, stream by stream: its number, operator, node, implementation, part and waits.
std::string list_steps(const Graph& lowered, const Plan& plan, const CostModel& costs);

}  // namespace braid
