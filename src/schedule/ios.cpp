#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "schedule/layout.h"
#include "schedule/schedulers.h"
#include "schedule/stages.h"
#include "schedule/units.h"

namespace braid {
namespace {

constexpr std::size_t kMostUnits = 20;                // of a block
constexpr std::int64_t kMostTransitions = 2'000'000;  // before a block is halved

/// A unit as one: its tasks one after another.
Cost cost_of(const Graph& graph, const CostModel& costs, const TaskGraph& tasks,
             const std::vector<Task>& members) {
  Cost sum;
  for (Task task : members) {
    const Cost cost = costs.cost(graph, tasks.nodes[static_cast<std::size_t>(task)]);
    sum.time_us += cost.time_us;
    sum.compute_share += cost.time_us * cost.compute_share;
    sum.bandwidth_share += cost.time_us * cost.bandwidth_share;
  }
  if (sum.time_us > 0) {
    sum.compute_share /= sum.time_us;
    sum.bandwidth_share /= sum.time_us;
  }
  return sum;
}

class Ios {
 public:
  Ios(const Graph& graph, const CostModel& costs, const DeviceSpec& device,
      const ScheduleOptions& options)
      : device_(device),
        published_(options.variant == kPublished),
        tasks_(task_graph(graph)),
        units_(units_of(tasks_, !published_)),
        layout_(static_cast<std::size_t>(stream_limit(device, options))) {
    for (const auto& members : units_.members)
      costs_.push_back(cost_of(graph, costs, tasks_, members));
  }

  Layout run() {
    std::size_t begin = 0;
    for (std::size_t end : block_ends(units_, kMostUnits)) {
      schedule(begin, end);
      begin = end;
    }
    return std::move(layout_);
  }

  const TaskGraph& tasks() const { return tasks_; }

 private:
  using Stages = std::vector<std::vector<UnitSet>>;
  /// All that decides the stages of a block, so that equal blocks are solved once.
  using Key = std::pair<std::vector<UnitSet>, std::vector<double>>;

  StageProblem problem_of(std::size_t begin, std::size_t end) const {
    StageProblem problem;
    problem.streams = static_cast<int>(layout_.size());
    problem.barrier_us = device_.wait_us;
    const auto inside = [&](const std::vector<std::int32_t>& units) {
      UnitSet set = 0;
      for (std::int32_t unit : units) {
        const auto at = static_cast<std::size_t>(unit);
        if (at >= begin && at < end) set |= UnitSet{1} << (at - begin);
      }
      return set;
    };
    for (std::size_t unit = begin; unit < end; ++unit) {
      problem.before.push_back(inside(units_.before[unit]));
      problem.after.push_back(inside(units_.after[unit]));
      problem.costs.push_back(costs_[unit]);
    }
    return problem;
  }

  void schedule(std::size_t begin, std::size_t end) {
    const StageProblem problem = problem_of(begin, end);
    Key key{problem.after, {}};
    for (const Cost& cost : problem.costs)
      key.second.insert(key.second.end(), {cost.time_us, cost.compute_share, cost.bandwidth_share});
    auto known = solved_.find(key);
    if (known == solved_.end()) {
      StageLimits limits;
      limits.single_source = published_;
      limits.transitions = kMostTransitions;
      const auto solution = best_stages(problem, limits);
      if (!solution) {
        const std::size_t middle = begin + (end - begin) / 2;
        schedule(begin, middle);
        schedule(middle, end);
        return;
      }
      known = solved_.emplace(std::move(key), solution->stages).first;
    }
    for (const auto& stage : known->second) add(stage, begin);
  }

  void add(const std::vector<UnitSet>& stage, std::size_t begin) {
    for (std::size_t stream = 0; stream < stage.size(); ++stream)
      for (std::size_t i = 0; i < units_.size() - begin && i < 64; ++i)
        if ((stage[stream] >> i & 1) != 0)
          for (Task task : units_.members[begin + i])
            layout_[stream].push_back({.task = task, .launch = launched_++, .stage = stage_});
    ++stage_;
  }

  const DeviceSpec& device_;
  bool published_;
  TaskGraph tasks_;
  Units units_;
  std::vector<Cost> costs_;
  Layout layout_;
  std::map<Key, Stages> solved_;
  int stage_ = 0;
  int launched_ = 0;
};

}  // namespace

Plan ios(const Graph& graph, const CostModel& costs, const DeviceSpec& device,
         const ScheduleOptions& options) {
  Ios search(graph, costs, device, options);
  const Layout layout = search.run();
  return assemble(graph, device, "ios", search.tasks(), layout);
}

}  // namespace braid
