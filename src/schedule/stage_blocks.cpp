#include "schedule/stage_blocks.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "schedule/stages.h"
#include "schedule/units.h"

namespace braid {
namespace {

constexpr std::size_t kMostUnits = 20;              // of a block
constexpr int kMostAbreast = 12;                    // first, or last, units of a block
constexpr std::int64_t kMostTransitions = 200'000;  // before a block is halved
constexpr std::int64_t kMostInAll = 20'000'000;     // before blocks get but a few
constexpr std::int64_t kFewTransitions = 1'000;

/// Whether a block is so wide that its endings are too many.
bool too_wide(const StageProblem& problem) {
  const auto is_end = [](UnitSet set) { return set == 0; };
  return std::count_if(problem.before.begin(), problem.before.end(), is_end) > kMostAbreast ||
         std::count_if(problem.after.begin(), problem.after.end(), is_end) > kMostAbreast;
}

/// The cost of a unit's tasks one after another.
Cost cost_of(const std::vector<Cost>& costs, const std::vector<Task>& members) {
  Cost sum;
  for (Task task : members) {
    const Cost& cost = costs[static_cast<std::size_t>(task)];
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

class StageBlocks {
 public:
  StageBlocks(const TaskGraph& tasks, const std::vector<Cost>& costs, const StageOptions& options)
      : options_(options), units_(units_of(tasks, !options.published)) {
    for (const auto& members : units_.members) costs_.push_back(cost_of(costs, members));
  }

  std::vector<TaskStage> run() {
    std::size_t begin = 0;
    for (std::size_t end : block_ends(units_, kMostUnits)) {
      report(options_.progress, "finding stages", static_cast<std::int64_t>(begin),
             static_cast<std::int64_t>(costs_.size()));
      solve(begin, end);
      begin = end;
    }
    return std::move(stages_);
  }

 private:
  using Stages = std::vector<std::vector<UnitSet>>;
  /// All that decides the stages of a block: its edges and costs.
  using Key = std::pair<std::vector<UnitSet>, std::vector<double>>;

  StageProblem problem_of(std::size_t begin, std::size_t end) const {
    StageProblem problem;
    problem.streams = options_.streams;
    problem.barrier_us = options_.barrier_us;
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
    if (options_.measure)
      problem.measure = [this, begin, end](const std::vector<UnitSet>& streams) {
        return options_.measure(tasks_of(streams, begin, end));
      };
    return problem;
  }

  void solve(std::size_t begin, std::size_t end) {
    const StageProblem problem = problem_of(begin, end);
    Key key{problem.after, {}};
    for (const Cost& cost : problem.costs)
      key.second.insert(key.second.end(), {cost.time_us, cost.compute_share, cost.bandwidth_share});
    auto known = solved_.find(key);
    if (known == solved_.end()) {
      StageLimits limits;
      limits.single_source = options_.published;
      limits.group_units = options_.group_units;
      limits.groups = options_.groups;
      limits.transitions = spent_ < kMostInAll ? kMostTransitions : kFewTransitions;
      auto solution = too_wide(problem) ? std::nullopt : best_stages(problem, limits);
      if (!too_wide(problem)) spent_ += solution ? solution->transitions : limits.transitions;
      if (!solution) {
        const std::size_t middle = begin + (end - begin) / 2;
        solve(begin, middle);
        solve(middle, end);
        return;
      }
      known = solved_.emplace(std::move(key), std::move(solution->stages)).first;
    }
    for (const auto& streams : known->second) stages_.push_back(tasks_of(streams, begin, end));
  }

  TaskStage tasks_of(const std::vector<UnitSet>& streams, std::size_t begin,
                     std::size_t end) const {
    TaskStage stage;
    for (UnitSet set : streams) {
      stage.emplace_back();
      for (std::size_t unit = begin; unit < end; ++unit)
        if ((set >> (unit - begin) & 1) != 0)
          stage.back().insert(stage.back().end(), units_.members[unit].begin(),
                              units_.members[unit].end());
    }
    return stage;
  }

  const StageOptions& options_;
  Units units_;
  std::vector<Cost> costs_;
  std::map<Key, Stages> solved_;
  std::vector<TaskStage> stages_;
  std::int64_t spent_ = 0;  // transitions
};

}  // namespace

std::vector<TaskStage> stages_of(const TaskGraph& tasks, const std::vector<Cost>& costs,
                                 const StageOptions& options) {
  return StageBlocks(tasks, costs, options).run();
}

}  // namespace braid
