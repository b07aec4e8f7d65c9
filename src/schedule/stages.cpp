#include "schedule/stages.h"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>

#include "base/error.h"

namespace braid {
namespace {

constexpr UnitSet bit(std::size_t unit) { return UnitSet{1} << unit; }

template <class F>
void for_each_unit(UnitSet set, F&& f) {
  for (; set != 0; set &= set - 1) f(static_cast<std::size_t>(std::countr_zero(set)));
}

double time_us(const StageProblem& problem, UnitSet units) {
  double sum = 0;
  for_each_unit(units, [&](std::size_t unit) { sum += problem.costs[unit].time_us; });
  return sum;
}

class StageSearch {
 public:
  StageSearch(const StageProblem& problem, const StageLimits& limits)
      : problem_(problem), limits_(limits) {}

  std::optional<StageSolution> run() {
    const std::size_t n = problem_.units();
    require(n <= 64, "a block of stages has at most 64 units");
    const UnitSet all = n == 64 ? ~UnitSet{0} : bit(n) - 1;
    StageSolution solution;
    solution.time_us = solve(all);
    if (solution_.transitions > limits_.transitions) return std::nullopt;
    for (UnitSet left = all; left != 0;) {
      const Choice& choice = choices_.at(left);
      solution.stages.push_back(on_streams(problem_, choice.groups));
      for (UnitSet group : choice.groups) left &= ~group;
    }
    std::reverse(solution.stages.begin(), solution.stages.end());
    solution.states = static_cast<std::int64_t>(choices_.size());
    solution.transitions = solution_.transitions;
    return solution;
  }

 private:
  struct Choice {
    double time_us = -1;
    std::vector<UnitSet> groups;
  };

  /// Recursion is as deep as the block has units.
  double solve(UnitSet left) {
    if (left == 0) return 0;
    if (const auto known = choices_.find(left); known != choices_.end())
      return known->second.time_us;
    Choice best;
    std::vector<UnitSet> groups;
    extend(left, 0, groups, problem_.units(), best);
    const double found = best.time_us;
    choices_.emplace(left, std::move(best));
    return found;
  }

  /// Every ending once: units are added in descending order.
  void extend(UnitSet left, UnitSet ending, const std::vector<UnitSet>& groups, std::size_t below,
              Choice& best) {
    for (std::size_t unit = below; unit-- > 0;) {
      if ((left & bit(unit)) == 0 || (problem_.after[unit] & left & ~ending) != 0) continue;
      std::vector<UnitSet> joined;
      UnitSet own = bit(unit);
      for (UnitSet group : groups)
        if ((problem_.after[unit] & group) != 0)
          own |= group;
        else
          joined.push_back(group);
      if (std::popcount(own) > limits_.group_units) continue;
      joined.push_back(own);
      const UnitSet grown = ending | bit(unit);
      if (solution_.transitions > limits_.transitions) return;
      if (admits(joined)) consider(left, grown, joined, best);
      extend(left, grown, joined, unit, best);
    }
  }

  bool admits(const std::vector<UnitSet>& groups) const {
    if (groups.size() > static_cast<std::size_t>(limits_.groups)) return false;
    return !limits_.single_source || std::all_of(groups.begin(), groups.end(), [&](UnitSet group) {
      int sources = 0;
      for_each_unit(group, [&](std::size_t unit) {
        sources += (problem_.before[unit] & group) == 0 ? 1 : 0;
      });
      return sources == 1;
    });
  }

  void consider(UnitSet left, UnitSet ending, const std::vector<UnitSet>& groups, Choice& best) {
    ++solution_.transitions;
    const auto [entry, fresh] = stages_.try_emplace(ending, 0);
    if (fresh) entry->second = stage_us(problem_, on_streams(problem_, groups));
    const double stage = entry->second;
    const double total = solve(left & ~ending) + stage;
    if (best.time_us >= 0 && total >= best.time_us) return;
    best.time_us = total;
    best.groups = groups;
  }

  const StageProblem& problem_;
  const StageLimits& limits_;
  StageSolution solution_;
  std::unordered_map<UnitSet, Choice> choices_;
  std::unordered_map<UnitSet, double> stages_;
};

}  // namespace

std::vector<UnitSet> on_streams(const StageProblem& problem, std::vector<UnitSet> groups) {
  std::vector<std::pair<double, UnitSet>> rows;  // by descending time
  for (UnitSet group : groups) rows.emplace_back(-time_us(problem, group), group);
  std::sort(rows.begin(), rows.end());
  while (rows.size() > static_cast<std::size_t>(std::max(1, problem.streams))) {
    const auto shortest = rows.back();
    rows.pop_back();
    rows.back().first += shortest.first;
    rows.back().second |= shortest.second;
    std::sort(rows.begin(), rows.end());
  }
  groups.clear();
  for (const auto& row : rows) groups.push_back(row.second);
  return groups;
}

double stage_us(const StageProblem& problem, const std::vector<UnitSet>& streams) {
  if (problem.measure) return problem.measure(streams);
  double longest = 0;
  double compute = 0;
  double bandwidth = 0;
  for (UnitSet units : streams) {
    longest = std::max(longest, time_us(problem, units));
    for_each_unit(units, [&](std::size_t unit) {
      const Cost& cost = problem.costs[unit];
      compute += cost.time_us * cost.compute_share;
      bandwidth += cost.time_us * cost.bandwidth_share;
    });
  }
  return std::max({longest, compute, bandwidth}) + (streams.size() > 1 ? problem.barrier_us : 0);
}

std::optional<StageSolution> best_stages(const StageProblem& problem, const StageLimits& limits) {
  return StageSearch(problem, limits).run();
}

}  // namespace braid
