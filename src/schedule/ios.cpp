#include "schedule/arrangement.h"
#include "schedule/schedulers.h"
#include "schedule/stage_blocks.h"

namespace braid {

Plan ios(const Graph& graph, const CostModel& costs, const DeviceSpec& device,
         const ScheduleOptions& options) {
  const TaskGraph tasks = task_graph(graph);
  std::vector<Cost> task_costs;
  for (NodeId node : tasks.nodes) task_costs.push_back(costs.cost(graph, node));
  StageOptions how;
  how.streams = stream_limit(device, options);
  how.barrier_us = device.wait_us;
  how.progress = options.progress;
  how.published = options.variant == kPublished;

  Arrangement arrangement(static_cast<std::size_t>(how.streams));
  int stage = 0;
  int launch = 0;
  for (const TaskStage& streams : stages_of(tasks, task_costs, how)) {
    for (std::size_t stream = 0; stream < streams.size(); ++stream)
      for (Task task : streams[stream])
        arrangement[stream].push_back({.task = task, .launch = launch++, .stage = stage});
    ++stage;
  }
  return assemble(graph, device, "ios", tasks, arrangement);
}

}  // namespace braid
