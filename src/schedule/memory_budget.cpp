#include "schedule/memory_budget.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/error.h"
#include "plan/one_stream.h"
#include "plan/thrift.h"
#include "schedule/lane_simulator.h"

namespace braid {
namespace {

constexpr std::size_t kMostTried = 5'000;  // nodes; of larger graphs fewer Plans are tried
constexpr std::array kTargets = {1.0, 0.95, 0.9, 0.8, 0.7};  // of a budget, for the throttle
constexpr int kLevels = 5;                                   // of memory, per Plan, in trade_offs()
constexpr int kMostRounds = 4;                               // to find the least arena
constexpr double kWorthTelling = 0.995;  // a Plan must take less than this part of a smaller one's

bool better(const Judged& a, const Judged& b) {
  return std::pair(a.time_us, a.plan.arena_bytes) < std::pair(b.time_us, b.plan.arena_bytes);
}

class ThriftSearch {
 public:
  ThriftSearch(const Graph& graph, const CostModel& costs, const DeviceSpec& device,
               const BudgetOptions& options)
      : graph_(graph), costs_(costs), device_(device), options_(options) {}

  /// Plans as schedulers make them, adapted.
  std::vector<Plan> originals() {
    std::vector<Plan> plans;
    const auto add = [&](const Plan& plan) {
      const auto& adapt = options_.schedule.adapt;
      plans.push_back(adapt ? adapt(plan) : plan);
    };
    const std::vector<std::pair<std::string, int>> rows = this->rows();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      report(options_.schedule.progress, "trying Plans of less memory",
             static_cast<std::int64_t>(i), static_cast<std::int64_t>(rows.size()));
      ScheduleOptions schedule_options = options_.schedule;
      schedule_options.streams = rows[i].second;
      schedule_options.progress = {};
      add(schedule(rows[i].first, graph_, costs_, device_, schedule_options));
    }
    add(one_stream(graph_, device_.name));
    add(one_stream(graph_, device_.name, thrifty_order(graph_)));
    return plans;
  }

  /// The Plan with an arena of at most `bytes`, if that can be done.
  std::optional<Judged> fitted(const Plan& plan, std::int64_t bytes) {
    least_ = std::min(least_.value_or(plan.arena_bytes), plan.arena_bytes);
    if (plan.arena_bytes <= bytes) return judged(plan, Thrift::None);
    if (plan.streams.size() < 2) return std::nullopt;
    const Timeline timeline = simulate_lanes(graph_, costs_, device_, plan);
    if (auto shared = placed(plan, timeline, bytes)) return judged(*shared, Thrift::Shared);
    for (double target : kTargets) {
      const auto slower = throttled(graph_, plan, timeline,
                                    static_cast<std::int64_t>(static_cast<double>(bytes) * target));
      if (!slower) break;
      if (auto small = placed(plan, *slower, bytes)) return judged(*small, Thrift::Throttled);
    }
    return std::nullopt;
  }

  /// The fastest of the Plans that fit, or can be made to.
  std::optional<Judged> fastest(const std::vector<Plan>& plans, std::int64_t bytes) {
    std::optional<Judged> best;
    for (const Plan& plan : plans) {
      auto found = fitted(plan, bytes);
      if (found && (!best || better(*found, *best))) best = std::move(found);
    }
    return best;
  }

  std::int64_t least_arena() const { return least_.value_or(0); }

  /// Makes least_arena() smaller as long as that is easy.
  void find_least(const std::vector<Plan>& plans) {
    for (int round = 0; round < kMostRounds; ++round) {
      const std::int64_t former = least_arena();
      for (const Plan& plan : plans) fitted(plan, least_arena() - 1);
      if (least_arena() == former) return;
    }
  }

 private:
  /// Schedulers and the streams that they may use.
  std::vector<std::pair<std::string, int>> rows() const {
    const int most = stream_limit(device_, options_.schedule);
    std::vector<int> counts;
    for (int streams = most; streams > 1; streams /= 2) counts.push_back(streams);
    if (counts.empty()) counts.push_back(1);
    if (graph_.node_count() > kMostTried && counts.size() > 2) counts.resize(2);
    std::vector<std::pair<std::string, int>> rows;
    if (!scheduler_named(options_.scheduler).tries_others) {
      for (int streams : counts) rows.emplace_back(options_.scheduler, streams);
      return rows;
    }
    rows.emplace_back(options_.scheduler, most);
    for (int streams : counts)
      for (const Scheduler& other : schedulers())
        if (other.is_quick) rows.emplace_back(other.name, streams);
    return rows;
  }

  std::optional<Plan> placed(Plan plan, const Timeline& timeline, std::int64_t bytes) {
    place_by_time(graph_, plan, timeline);
    least_ = std::min(least_.value_or(plan.arena_bytes), plan.arena_bytes);
    if (plan.arena_bytes > bytes) return std::nullopt;
    return plan;
  }

  Judged judged(Plan plan, Thrift thrift) const {
    const double time_us = options_.schedule.evaluate
                               ? options_.schedule.evaluate(plan, kNeverGiveUp)
                               : simulate_lanes(graph_, costs_, device_, plan).end_us;
    return {std::move(plan), time_us, thrift};
  }

  const Graph& graph_;
  const CostModel& costs_;
  const DeviceSpec& device_;
  const BudgetOptions& options_;
  std::optional<std::int64_t> least_;
};

/// Budgets between the least arena and that of a Plan, each by the same factor below the former.
std::vector<std::int64_t> budgets(std::int64_t least, std::int64_t most) {
  std::vector<std::int64_t> found = {most};
  if (least <= 0 || most <= least) return found;
  const double factor = static_cast<double>(least) / static_cast<double>(most);
  for (int level = 1; level <= kLevels; ++level)
    found.push_back(static_cast<std::int64_t>(static_cast<double>(most) *
                                              std::pow(factor, double(level) / kLevels)));
  return found;
}

}  // namespace

std::string_view name(Thrift thrift) {
  constexpr std::array<std::string_view, 3> names = {"none", "shared", "throttled"};
  return names[static_cast<std::size_t>(thrift)];
}

Judged plan_within(const Graph& graph, const CostModel& costs, const DeviceSpec& device,
                   const BudgetOptions& options, std::int64_t bytes) {
  ThriftSearch search(graph, costs, device, options);
  const std::vector<Plan> originals = search.originals();
  std::optional<Judged> best = search.fastest(originals, bytes);
  if (!best) {
    search.find_least(originals);
    raise(ErrorKind::Quota,
          fmt::format("no Plan was found whose arena fits in {} bytes: the least takes {} bytes; "
                      "allow as much, or use a smaller batch",
                      bytes, search.least_arena()));
  }
  return std::move(*best);
}

std::optional<Judged> fastest_within(const std::vector<Plan>& plans, const Graph& graph,
                                     const CostModel& costs, const DeviceSpec& device,
                                     const BudgetOptions& options, std::int64_t bytes) {
  return ThriftSearch(graph, costs, device, options).fastest(plans, bytes);
}

std::vector<Judged> trade_offs(const Graph& graph, const CostModel& costs, const DeviceSpec& device,
                               const BudgetOptions& options) {
  ThriftSearch search(graph, costs, device, options);
  std::vector<Judged> all;
  const std::vector<Plan> originals = search.originals();
  std::int64_t least = originals.back().arena_bytes;
  for (const Plan& plan : originals) least = std::min(least, plan.arena_bytes);
  for (const Plan& plan : originals) {
    std::set<std::int64_t> arenas;
    for (std::int64_t budget : budgets(least, plan.arena_bytes)) {
      auto found = search.fitted(plan, budget);
      if (found && arenas.insert(found->plan.arena_bytes).second) all.push_back(std::move(*found));
    }
  }
  std::sort(all.begin(), all.end(), [](const Judged& a, const Judged& b) {
    return std::pair(a.plan.arena_bytes, a.time_us) < std::pair(b.plan.arena_bytes, b.time_us);
  });
  std::vector<Judged> kept;
  for (Judged& judged : all)
    if (kept.empty() || judged.time_us < kept.back().time_us * kWorthTelling)
      kept.push_back(std::move(judged));
  return kept;
}

}  // namespace braid
