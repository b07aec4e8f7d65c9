#include <algorithm>
#include <utility>

#include "schedule/layout.h"
#include "schedule/list_schedule.h"
#include "schedule/part_costs.h"
#include "schedule/schedulers.h"
#include "schedule/task_graph.h"

namespace braid {
namespace {

/// Bottom levels as priorities, counted uncut and cut as finely as may be; parts chosen or none.
std::vector<Guide> first_guides(const TaskGraph& tasks, const PartCosts& costs, int lanes) {
  std::vector<Guide> guides;
  for (int parts_at_once : {1, lanes})
    for (int parts : {0, 1})
      guides.push_back(
          {bottom_levels(tasks, costs, parts_at_once), std::vector<int>(tasks.size(), parts)});
  return guides;
}

}  // namespace

Plan braid_search(const Graph& graph, const CostModel& costs, const DeviceSpec& device,
                  const ScheduleOptions& options) {
  const int lanes = stream_limit(device, options);
  const TaskGraph tasks = task_graph(graph);
  const PartCosts part_costs(graph, costs, tasks, lanes);

  Layout best;
  double best_us = 0;
  for (const Guide& guide : first_guides(tasks, part_costs, lanes)) {
    Layout layout = list_schedule(tasks, part_costs, device, lanes, guide);
    const double time_us = simulate_us(tasks, part_costs, device, layout);
    if (!best.empty() && time_us >= best_us) continue;
    best = std::move(layout);
    best_us = time_us;
  }

  const Evaluate judge = options.evaluate ? options.evaluate : [&](const Plan& plan) {
    return simulate(graph, costs, device, plan).end_us;
  };
  Plan plan = assemble(graph, device, "braid", tasks, best);
  Plan plain = sequential(graph, costs, device, options);
  if (judge(plain) <= judge(plan)) plan = std::move(plain);
  plan.scheduler = "braid";
  return plan;
}

}  // namespace braid
