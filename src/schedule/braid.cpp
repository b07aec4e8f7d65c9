#include <algorithm>
#include <cmath>
#include <utility>

#include "schedule/arrangement.h"
#include "schedule/launch_search.h"
#include "schedule/launch_starts.h"
#include "schedule/list_schedule.h"
#include "schedule/local_search.h"
#include "schedule/part_costs.h"
#include "schedule/schedulers.h"
#include "schedule/stage_blocks.h"
#include "schedule/task_graph.h"

namespace braid {
namespace {

constexpr std::size_t kStepsOnLanes = 2'000;
// A quick search puts so many tasks into rows in all.
constexpr std::size_t kQuicklyPlaced = 5'000;
// Limits where the judge may take long: tasks that are launched in all, and changes to try.
constexpr std::size_t kJudgedTasks = 1'000'000;
constexpr int kLeastJudged = 1'000;
constexpr int kMostJudged = 8'000;

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
    const auto keep = [&](Plan plan) {
      plan = tell(std::move(plan));
      const double time_us = judge(plan);
      if (!best_.streams.empty() && time_us >= best_us_) return;
      best_ = std::move(plan);
      best_us_ = time_us;
    };
    std::vector<Launching> others;
    for (const Scheduler& other : schedulers()) {
      if (other.tries_others || tasks_.size() > other.most_tasks) continue;
      if (options_.quick && !other.is_baseline) continue;
      Plan plan = other.run(graph_, model_, device_, options_);
      if (device_.launches) others.push_back(launching_of(tasks_, plan));
      keep(std::move(plan));
    }
    if (options_.start && device_.launches) others.push_back(launching_of(tasks_, *options_.start));
    if (!device_.launches && streams_ > 1) keep(on_one_stream());
    keep(assemble(graph_, device_, "braid", tasks_,
                  device_.launches ? search_launches(std::move(others)) : search_lanes()));
    best_.scheduler = "braid";
    return std::move(best_);
  }

 private:
  /// Small operators are faster without waits, all the more if a neighbour keeps cores busy.
  Plan on_one_stream() const {
    ScheduleOptions one = options_;
    one.streams = 1;
    return baseline_scheduler().run(graph_, model_, device_, one);
  }

  /// Adapts a Plan and hands it to the caller's `candidate`, if there is one.
  Plan tell(Plan plan) const {
    if (options_.adapt) plan = options_.adapt(plan);
    if (options_.candidate) options_.candidate(plan);
    return plan;
  }

  void tell(const SearchReport& search) const {
    if (options_.searched) options_.searched(search);
  }

  /// The time of a Plan that was adapted.
  double judge(const Plan& plan, double give_up_us = kNeverGiveUp) const {
    return options_.evaluate ? options_.evaluate(plan, give_up_us)
                             : simulate_lanes(graph_, model_, device_, plan).end_us;
  }

  Plan unplaced(const Arrangement& arrangement) const {
    Plan plan = assemble_unplaced(graph_, device_, "braid", tasks_, arrangement);
    return options_.adapt ? options_.adapt(plan) : plan;
  }

  SearchLimits limits(int steps) const {
    SearchLimits limits;
    limits.steps = options_.search_steps > 0 ? options_.search_steps : steps;
    limits.seconds = options_.budget_seconds;
    limits.seed = options_.seed;
    limits.progress = options_.progress;
    return limits;
  }

  Arrangement search_lanes() {
    const auto arrangement_of = [&](const Guide& guide) {
      return list_schedule(tasks_, costs_, device_, streams_, guide);
    };
    const GuideJudge time_us = [&](const Guide& guide) {
      const Arrangement arrangement = arrangement_of(guide);
      return options_.adapt ? judge(unplaced(arrangement))
                            : simulate_us(tasks_, costs_, device_, arrangement);
    };
    Guide best;
    double best_us = 0;
    for (Guide& guide : first_guides()) {
      const double found = time_us(guide);
      if (!best.priority.empty() && found >= best_us) continue;
      best = std::move(guide);
      best_us = found;
    }
    if (tasks_.size() > kManyTasks || streams_ == 1) return arrangement_of(best);
    const std::size_t steps =
        options_.quick ? kQuicklyPlaced / std::max<std::size_t>(1, tasks_.size()) : kStepsOnLanes;
    if (steps == 0 && options_.search_steps == 0) return arrangement_of(best);
    const Improved found = improve_guide(best, costs_, alike(tasks_, costs_), time_us,
                                         limits(static_cast<int>(steps)));
    tell(found.search);
    return arrangement_of(found.guide);
  }

  /// The search for a device that is judged from outside. It starts from what the other schedulers
  /// do and from rows of fewest synchronisations, by bottom level or stage, on all streams or
  /// fewer; the best is improved.
  Arrangement search_launches(std::vector<Launching> starts) {
    const LaunchJudge time_us = [&](const Arrangement& arrangement, double give_up_us) {
      return judge(unplaced(arrangement), give_up_us);
    };
    std::vector<std::vector<double>> priorities = {bottom_levels(tasks_, costs_, 1)};
    if (tasks_.size() <= kMostStaged) priorities.push_back(stage_guide().priority);
    for (const std::vector<double>& priority : priorities)
      for (Launching& start : launch_starts(tasks_, costs_, priority, streams_))
        starts.push_back(std::move(start));
    Launching best;
    double best_us = kNeverGiveUp;
    const auto keep = [&](Launching start) {
      const double found = time_us(braid::arrangement_of(tasks_, start), kNeverGiveUp);
      if (!best.stream.empty() && found >= best_us) return;
      best = std::move(start);
      best_us = found;
    };
    for (Launching& start : starts) keep(std::move(start));
    if (tasks_.size() > kManyTasks) return braid::arrangement_of(tasks_, best);
    const auto all = static_cast<int>(kJudgedTasks / std::max<std::size_t>(1, tasks_.size()));
    SearchLimits limits = this->limits(std::clamp(all, kLeastJudged, kMostJudged));
    LaunchRange range{streams_, device_.priorities};
    const auto improved = [&](Launching start, const SearchLimits& within) {
      FoundLaunching found =
          improve_launching(std::move(start), tasks_, costs_, range, time_us, within);
      tell(found.search);
      return std::move(found.launching);
    };
    if (options_.ways.empty()) return braid::arrangement_of(tasks_, improved(best, limits));
    // First with the kernels that are fastest alone: what that gives is surer.
    SearchLimits first = limits;
    first.steps = limits.steps / 3;
    first.seconds = limits.seconds / 3;
    best = improved(std::move(best), first);
    limits.steps -= first.steps;
    if (std::isfinite(limits.seconds)) limits.seconds -= first.seconds;
    tell(assemble(graph_, device_, "braid", tasks_, braid::arrangement_of(tasks_, best)));
    range.ways = ways();
    best_us = time_us(braid::arrangement_of(tasks_, best), kNeverGiveUp);
    Launching smallest = best;
    for (std::size_t i = 0; i < tasks_.size(); ++i) smallest.way[i] = range.ways[i] - 1;
    keep(std::move(smallest));
    return braid::arrangement_of(tasks_, improved(std::move(best), limits));
  }

  /// The number of ways to run each task; the last keeps least of the device busy.
  std::vector<int> ways() const {
    std::vector<int> counts;
    for (NodeId node : tasks_.nodes) counts.push_back(options_.ways[node.at()]);
    return counts;
  }

  /// Bottom levels, counted uncut and cut as finely as may be, and stages; parts chosen or none.
  std::vector<Guide> first_guides() const {
    std::vector<Guide> guides;
    for (int parts_at_once : {1, streams_})
      for (int parts : {0, 1})
        guides.push_back(
            {bottom_levels(tasks_, costs_, parts_at_once), std::vector<int>(tasks_.size(), parts)});
    if (tasks_.size() <= kMostStaged && !options_.quick) guides.push_back(stage_guide());
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

  const Graph& graph_;
  const CostModel& model_;
  const DeviceSpec& device_;
  const ScheduleOptions& options_;
  int streams_;
  TaskGraph tasks_;
  PartCosts costs_;
  Plan best_;
  double best_us_ = 0;
};

}  // namespace

Plan braid_search(const Graph& graph, const CostModel& costs, const DeviceSpec& device,
                  const ScheduleOptions& options) {
  return Braid(graph, costs, device, options).run();
}

}  // namespace braid
