#include "schedule/arrangement.h"
#include "schedule/part_costs.h"
#include "schedule/schedulers.h"
#include "schedule/task_graph.h"

namespace braid {
namespace {

int parts_of(const PartCosts& costs, Task task, double wait_us) {
  int parts = 1;
  double best = costs.whole(task).time_us;
  for (const PartCosts::Option& option : costs.options(task)) {
    if (option.parts == 1 || option.together_us() + wait_us >= best) continue;
    best = option.together_us() + wait_us;
    parts = option.parts;
  }
  return parts;
}

}  // namespace

Plan sequential(const Graph& graph, const CostModel& costs, const DeviceSpec& device,
                const ScheduleOptions& options) {
  const int streams = stream_limit(device, options);
  const TaskGraph tasks = task_graph(graph);
  const PartCosts part_costs(graph, costs, tasks, streams);
  Arrangement arrangement(static_cast<std::size_t>(streams));
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto task = static_cast<Task>(i);
    const int parts = parts_of(part_costs, task, device.wait_us);
    for (int part = 0; part < parts; ++part)
      arrangement[static_cast<std::size_t>(part)].push_back({task, part, parts, task});
  }
  return assemble(graph, device, "sequential", tasks, arrangement);
}

}  // namespace braid
