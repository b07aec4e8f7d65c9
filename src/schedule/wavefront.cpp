#include <algorithm>
#include <numeric>
#include <utility>

#include "schedule/arrangement.h"
#include "schedule/part_costs.h"
#include "schedule/schedulers.h"

namespace braid {
namespace {

constexpr std::size_t kMostPublished = 10;  // streams of the baseline in IOS

std::vector<std::vector<Task>> levels(const TaskGraph& tasks) {
  std::vector<std::size_t> level(tasks.size(), 0);
  std::vector<std::vector<Task>> rows;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    for (Task before : tasks.before[i])
      level[i] = std::max(level[i], level[static_cast<std::size_t>(before)] + 1);
    if (level[i] == rows.size()) rows.emplace_back();
    rows[level[i]].push_back(static_cast<Task>(i));
  }
  return rows;
}

}  // namespace

Plan wavefront(const Graph& graph, const CostModel& costs, const DeviceSpec& device,
               const ScheduleOptions& options) {
  const TaskGraph tasks = task_graph(graph);
  const std::vector<double> times = times_us(graph, costs, tasks);
  auto streams = static_cast<std::size_t>(stream_limit(device, options));
  const bool published = options.variant == kPublished;
  if (published) streams = std::min(streams, kMostPublished);
  Arrangement arrangement(streams);
  int launch = 0;
  int stage = 0;
  for (std::vector<Task>& level : levels(tasks)) {
    // The longest first, each to the stream with least in this level.
    if (!published)
      std::sort(level.begin(), level.end(), [&](Task a, Task b) {
        const double longer = times[static_cast<std::size_t>(a)];
        const double shorter = times[static_cast<std::size_t>(b)];
        return longer > shorter || (longer == shorter && a < b);
      });
    std::vector<double> load(streams, 0);
    std::size_t dealt = 0;
    for (Task task : level) {
      if (published && dealt == streams) {
        dealt = 0;  // what is left over goes to a stage of its own
        ++stage;
      }
      const auto least = std::min_element(load.begin(), load.end()) - load.begin();
      const std::size_t stream = published ? dealt++ : static_cast<std::size_t>(least);
      load[stream] += times[static_cast<std::size_t>(task)];
      arrangement[stream].push_back({.task = task, .launch = launch++, .stage = stage});
    }
    ++stage;
  }
  return assemble(graph, device, "wavefront", tasks, arrangement);
}

}  // namespace braid
