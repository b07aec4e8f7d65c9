#include "schedule/bounds.h"

#include "schedule/part_costs.h"

namespace braid {
namespace {

using PartOptions = std::vector<PartCosts::Option>;

/// The least over a task's options of what all parts together take.
double least(const PartOptions& options, const auto& of_part) {
  double least = options[0].parts * of_part(options[0].each);
  for (const PartCosts::Option& option : options)
    least = std::min(least, option.parts * of_part(option.each));
  return least;
}

}  // namespace

std::vector<PathRow> longest_path(const TaskGraph& tasks, std::span<const double> times_us,
                                  double between_us) {
  std::vector<double> end(tasks.size(), 0);
  std::vector<double> own(tasks.size(), 0);
  std::vector<Task> before(tasks.size(), -1);
  Task last = -1;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    double begin = 0;
    for (Task earlier : tasks.before[i])
      if (before[i] < 0 || end[at(earlier)] > begin) {
        before[i] = earlier;
        begin = end[at(earlier)];
      }
    own[i] = times_us[i] + (begin > 0 && times_us[i] > 0 ? between_us : 0);
    end[i] = begin + own[i];
    if (last < 0 || end[i] > end[at(last)]) last = static_cast<Task>(i);
  }
  std::vector<PathRow> path;
  for (Task task = last; task >= 0; task = before[at(task)])
    path.push_back({tasks.nodes[at(task)], own[at(task)]});
  std::reverse(path.begin(), path.end());
  return path;
}

double path_us(std::span<const PathRow> path) {
  double length = 0;
  for (const PathRow& row : path) length += row.time_us;
  return length;
}

Bounds lane_bounds(const Graph& lowered, const CostModel& costs, const DeviceSpec& device) {
  const int streams = std::max(1, device.streams);
  const TaskGraph tasks = task_graph(lowered);
  const PartCosts parts(lowered, costs, tasks, streams);
  std::vector<double> shortest_us;
  double area_us = 0;
  double arithmetic_us = 0;
  Bounds bounds;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto task = static_cast<Task>(i);
    const PartOptions& options = parts.options(task);
    shortest_us.push_back(parts.fastest(task).each.time_us);
    area_us += least(options, [](const Cost& each) { return each.time_us; });
    arithmetic_us +=
        least(options, [](const Cost& each) { return each.time_us * each.compute_share; });
    bounds.bandwidth_us +=
        least(options, [](const Cost& each) { return each.time_us * each.bandwidth_share; });
  }
  bounds.critical_path = longest_path(tasks, shortest_us);
  bounds.critical_path_us = path_us(bounds.critical_path);
  bounds.work_us = std::max(area_us / streams, arithmetic_us);
  return bounds;
}

}  // namespace braid
