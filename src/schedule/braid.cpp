#include <algorithm>
#include <queue>
#include <utility>

#include "schedule/chains.h"
#include "schedule/layout.h"
#include "schedule/list_schedule.h"
#include "schedule/local_search.h"
#include "schedule/part_costs.h"
#include "schedule/schedulers.h"
#include "schedule/stage_blocks.h"
#include "schedule/task_graph.h"

namespace braid {
namespace {

constexpr std::size_t kMostSearched = 20'000;  // tasks; larger graphs are scheduled, not searched
constexpr std::size_t kMostStaged = 3'000;     // tasks; larger graphs are not cut into stages
constexpr int kStepsOnLanes = 2'000;
constexpr int kStepsJudged = 200;  // by a judge that may take long

std::size_t at(Task task) { return static_cast<std::size_t>(task); }

class Braid {
 public:
  Braid(const Graph& graph, const CostModel& costs, const DeviceSpec& device,
        const ScheduleOptions& options)
      : graph_(graph),
        model_(costs),
        device_(device),
        options_(options),
        streams_(stream_limit(device, options)),
        tasks_(task_graph(graph)),
        costs_(graph, costs, tasks_, streams_) {}

  Plan run() {
    Plan best = sequential(graph_, model_, device_, options_);
    double best_us = judge(best);
    const auto keep = [&](Plan plan) {
      const double time_us = judge(plan);
      if (time_us >= best_us) return;
      best = std::move(plan);
      best_us = time_us;
    };
    keep(assemble(graph_, device_, "braid", tasks_, search()));
    if (tasks_.size() <= kMostSearched)
      for (const Scheduler& other : schedulers())
        if (other.run != sequential && other.run != braid_search &&
            (other.run != ios || tasks_.size() <= kMostStaged))
          keep(other.run(graph_, model_, device_, options_));
    best.scheduler = "braid";
    return best;
  }

 private:
  double judge(const Plan& plan) const {
    return options_.evaluate ? options_.evaluate(plan)
                             : simulate(graph_, model_, device_, plan).end_us;
  }

  Layout search() {
    const bool judged = static_cast<bool>(options_.evaluate);
    if (judged) rows_ = heavy_rows();
    const auto layout_of = [&](const Guide& guide) {
      return judged ? launched(guide) : list_schedule(tasks_, costs_, device_, streams_, guide);
    };
    const GuideJudge time_us = [&](const Guide& guide) {
      const Layout layout = layout_of(guide);
      return judged ? options_.evaluate(assemble(graph_, device_, "braid", tasks_, layout))
                    : simulate_us(tasks_, costs_, device_, layout);
    };

    Guide best;
    double best_us = 0;
    for (Guide& guide : first_guides()) {
      const double found = time_us(guide);
      if (!best.priority.empty() && found >= best_us) continue;
      best = std::move(guide);
      best_us = found;
    }
    if (tasks_.size() > kMostSearched || streams_ == 1) return layout_of(best);
    SearchLimits limits;
    limits.steps = judged ? kStepsJudged : kStepsOnLanes;
    if (options_.search_steps > 0) limits.steps = options_.search_steps;
    limits.seconds = options_.budget_seconds;
    limits.seed = options_.seed;
    limits.progress = options_.progress;
    return layout_of(improve(best, costs_, alike(tasks_, costs_), time_us, limits).guide);
  }

  /// Bottom levels, counted uncut and cut as finely as may be, and stages; parts chosen or none.
  std::vector<Guide> first_guides() const {
    std::vector<Guide> guides;
    for (int parts_at_once : {1, streams_})
      for (int parts : {0, 1})
        guides.push_back(
            {bottom_levels(tasks_, costs_, parts_at_once), std::vector<int>(tasks_.size(), parts)});
    if (tasks_.size() <= kMostStaged) guides.push_back(stage_guide());
    return guides;
  }

  /// IOS's stages without their barriers: earlier stages go first, but a task begins when its
  /// inputs are there.
  Guide stage_guide() const {
    std::vector<Cost> costs;
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      costs.push_back(costs_.whole(static_cast<Task>(i)));
    Guide guide{std::vector<double>(tasks_.size()), std::vector<int>(tasks_.size(), 0)};
    double rank = 0;
    for (const TaskStage& stage :
         stages_of(tasks_, costs, {.streams = streams_, .progress = options_.progress})) {
      rank -= 1;
      for (const auto& row : stage)
        for (Task task : row) guide.priority[at(task)] = rank;
    }
    return guide;
  }

  /// Rows of tasks with the fewest synchronisations, and those away from the critical path.
  std::vector<std::vector<Task>> heavy_rows() const {
    const std::vector<double> below = bottom_levels(tasks_, costs_, 1);
    std::vector<double> above(tasks_.size(), 0);
    double longest = 0;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      longest = std::max(longest, above[i] + below[i]);
      for (Task next : tasks_.after[i])
        above[at(next)] =
            std::max(above[at(next)], above[i] + costs_.whole(static_cast<Task>(i)).time_us);
    }
    const auto weight = [&](Task from, Task to) {
      const double through = above[at(from)] + costs_.whole(from).time_us + below[at(to)];
      return longest > 0 ? through / longest : 0;
    };
    const Chains found = chains(tasks_, weight);
    std::vector<std::vector<Task>> rows = stream_rows(found);
    return rows.size() <= at(streams_) ? rows : found.rows;
  }

  /// The rows, launched by priority.
  Layout launched(const Guide& guide) const {
    using Entry = std::pair<double, Task>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
    std::vector<std::size_t> missing(tasks_.size());
    const auto arrive = [&](std::size_t i) {
      ready.push({-guide.priority[i], static_cast<Task>(i)});
    };
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      missing[i] = tasks_.before[i].size();
      if (missing[i] == 0) arrive(i);
    }
    Streams streams{rows_, {}};
    while (!ready.empty()) {
      const Task task = ready.top().second;
      ready.pop();
      streams.order.push_back(task);
      for (Task next : tasks_.after[at(task)])
        if (--missing[at(next)] == 0) arrive(at(next));
    }
    std::vector<double> times;
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      times.push_back(costs_.whole(static_cast<Task>(i)).time_us);
    return lay_out(tasks_, times, streams, streams_);
  }

  const Graph& graph_;
  const CostModel& model_;
  const DeviceSpec& device_;
  const ScheduleOptions& options_;
  int streams_;
  TaskGraph tasks_;
  PartCosts costs_;
  std::vector<std::vector<Task>> rows_;  // if Plans are judged from outside
};

}  // namespace

Plan braid_search(const Graph& graph, const CostModel& costs, const DeviceSpec& device,
                  const ScheduleOptions& options) {
  return Braid(graph, costs, device, options).run();
}

}  // namespace braid
