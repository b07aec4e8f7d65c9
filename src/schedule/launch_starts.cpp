#include "schedule/launch_starts.h"

#include <algorithm>

#include "schedule/list_schedule.h"
#include "schedule/task_rows.h"

namespace braid {
namespace {

constexpr int kFewStreams = 4;

}  // namespace

std::vector<std::vector<Task>> heavy_rows(const TaskGraph& tasks, const PartCosts& costs,
                                          int streams) {
  const std::vector<double> below = bottom_levels(tasks, costs, 1);
  std::vector<double> above(tasks.size(), 0);
  double longest = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    longest = std::max(longest, above[i] + below[i]);
    for (const Task next : tasks.after[i])
      above[at(next)] =
          std::max(above[at(next)], above[i] + costs.whole(static_cast<Task>(i)).time_us);
  }
  const auto weight = [&](Task from, Task to) {
    const double through = above[at(from)] + costs.whole(from).time_us + below[at(to)];
    return longest > 0 ? through / longest : 0;
  };
  const TaskRows found = task_rows(tasks, weight);
  std::vector<std::vector<Task>> rows = stream_rows(found);
  return rows.size() <= at(streams) ? rows : found.rows;
}

std::vector<Launching> launch_starts(const TaskGraph& tasks, const PartCosts& costs,
                                     const std::vector<double>& priority, int streams) {
  const std::vector<std::vector<Task>> rows = heavy_rows(tasks, costs, streams);
  std::vector<double> times;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    times.push_back(costs.whole(static_cast<Task>(i)).time_us);
  std::vector<Launching> starts;
  for (int limit = streams; limit >= std::min(kFewStreams, streams); limit /= 2)
    starts.push_back(launching_of(tasks, times, rows, priority, limit));
  return starts;
}

}  // namespace braid
