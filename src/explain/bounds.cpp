#include "explain/bounds.h"

#include <algorithm>

#include "schedule/part_costs.h"
#include "schedule/task_graph.h"

namespace braid {
namespace {

std::size_t at(Task task) { return static_cast<std::size_t>(task); }

std::vector<PathRow> longest_path(const TaskGraph& tasks, const PartCosts& costs) {
  std::vector<double> end(tasks.size(), 0);
  std::vector<Task> before(tasks.size(), -1);
  Task last = -1;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    double begin = 0;
    for (Task earlier : tasks.before[i])
      if (before[i] < 0 || end[at(earlier)] > begin) {
        before[i] = earlier;
        begin = end[at(earlier)];
      }
    end[i] = begin + costs.fastest(static_cast<Task>(i)).each.time_us;
    if (last < 0 || end[i] > end[at(last)]) last = static_cast<Task>(i);
  }
  std::vector<PathRow> path;
  for (Task task = last; task >= 0; task = before[at(task)])
    path.push_back({tasks.nodes[at(task)], costs.fastest(task).each.time_us});
  std::reverse(path.begin(), path.end());
  return path;
}

double least_area_us(const std::vector<PartCosts::Option>& options) {
  double least = options[0].area_us();
  for (const PartCosts::Option& option : options) least = std::min(least, option.area_us());
  return least;
}

}  // namespace

BoundsAndPath bounds_of(const Subject& subject) {
  const int streams = std::max(1, subject.device.streams);
  const TaskGraph tasks = task_graph(subject.graph);
  const PartCosts costs(subject.graph, subject.costs, tasks, streams);
  BoundsAndPath result;
  result.critical_path = longest_path(tasks, costs);
  for (const PathRow& row : result.critical_path) result.bounds.critical_path_us += row.time_us;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto task = static_cast<Task>(i);
    const Cost& whole = costs.whole(task);
    result.bounds.work_us += subject.gpu != nullptr ? whole.time_us * whole.compute_share
                                                    : least_area_us(costs.options(task)) / streams;
    result.bounds.bandwidth_us += whole.time_us * whole.bandwidth_share;
  }
  return result;
}

}  // namespace braid
