#include <numeric>

#include "schedule/arrangement.h"
#include "schedule/part_costs.h"
#include "schedule/schedulers.h"
#include "schedule/task_rows.h"

namespace braid {

Plan nimble(const Graph& graph, const CostModel& costs, const DeviceSpec& device,
            const ScheduleOptions& options) {
  const TaskGraph tasks =
      task_graph(graph, options.variant == kPublished ? Views::AsTasks : Views::Contracted);
  const int limit = stream_limit(device, options);
  const TaskRows found = task_rows(tasks);
  Streams streams;
  streams.rows = stream_rows(found);
  // On fewer streams than these the rows are dealt out one by one: they fill lanes more evenly.
  if (streams.rows.size() > static_cast<std::size_t>(limit)) streams.rows = found.rows;
  streams.order.resize(tasks.size());
  std::iota(streams.order.begin(), streams.order.end(), 0);
  const Arrangement arrangement = arrange(tasks, times_us(graph, costs, tasks), streams, limit);
  return assemble(graph, device, "nimble", tasks, arrangement);
}

}  // namespace braid
