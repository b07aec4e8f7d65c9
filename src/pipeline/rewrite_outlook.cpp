#include "pipeline/rewrite_outlook.h"

#include <algorithm>
#include <map>
#include <span>

#include "base/error.h"
#include "base/sort_by.h"
#include "cost/graph_cost.h"
#include "cost/node_costs.h"
#include "ops/call.h"
#include "optimise/sites.h"

namespace braid {
namespace {

/// Of a bound, or of path and sum together: less is not worth a row.
constexpr double kWorthTelling = 0.01;
/// Groups times nodes: so much takes about a second.
constexpr std::size_t kMostNodes = 50'000;
constexpr std::size_t kLeastGroups = 8;

class Glance {
 public:
  Glance(const Planned& planned, const Device& device, const ChooseWay& choose)
      : planned_(planned), device_(device), choose_(choose), untidied_(steps_without(device)) {}

  GraphOutlook of_lowered(const Graph& lowered) const {
    const Profile& profile = planned_.profile();
    const NodeCosts costs(lowered, profile.costs);
    const Bounds bounds = device_.judge(lowered, costs, profile.spec)->bounds();
    GraphOutlook outlook;
    outlook.sum_us = sum_us(lowered, costs);
    for (const NodeId node : lowered.node_ids())
      outlook.operators += costs.cost(lowered, node).time_us > 0 ? 1 : 0;
    outlook.bounds_us = {bounds.critical_path_us, bounds.work_us, bounds.bandwidth_us};
    return outlook;
  }

  /// Nothing if the group's sites cannot be rewritten, or if the device rejects what comes out.
  std::optional<RulePossibility> of_group(const SiteGroup& group) const {
    const Graph& given = planned_.graph();
    RewrittenGraph rewritten(given, rewrite_limits(given), untidied_);
    const std::size_t sites = apply_group(rewritten, group);
    if (sites == 0) return std::nullopt;
    try {
      const LowerOptions how{.costs = planned_.profile().costs, .choose = choose_};
      const Graph lowered = device_.lower(rewritten.graph(), how).graph;
      return RulePossibility{std::string(group.rule->rule.name), group.parameters, sites,
                             of_lowered(lowered)};
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::Unsupported) throw;
      return std::nullopt;
    }
  }

 private:
  const Planned& planned_;
  const Device& device_;
  const ChooseWay& choose_;
  std::vector<std::string> untidied_;
};

/// The groups that have all sites of a rule and its parameters, and then those that are alike; of
/// each kind those with most sites first.
std::vector<SiteGroup> wide_groups(const Graph& graph) {
  std::vector<SiteGroup> groups = site_groups(graph, {});
  std::map<std::pair<std::string_view, std::vector<std::int64_t>>, int> singles;
  for (const SiteGroup& group : groups)
    if (group.reach == Reach::One) ++singles[{group.rule->rule.name, group.parameters}];
  std::erase_if(groups, [&](const SiteGroup& group) {
    return group.reach == Reach::One && singles[{group.rule->rule.name, group.parameters}] > 1;
  });
  sort_by(groups, [](const SiteGroup& group) {
    return std::pair(group.reach == Reach::Alike, -static_cast<std::int64_t>(group.sites));
  });
  return groups;
}

double path_and_sum_us(const GraphOutlook& outlook) {
  return outlook.of(HoldingBound::CriticalPath) + outlook.sum_us;
}

std::vector<HoldingBound> moved_bounds(const GraphOutlook& before, const GraphOutlook& after) {
  std::vector<HoldingBound> moved;
  for (std::size_t i = 0; i < kHoldingBounds; ++i)
    if (after.bounds_us[i] < before.bounds_us[i] * (1 - kWorthTelling))
      moved.push_back(static_cast<HoldingBound>(i));
  return moved;
}

/// The best of each rule.
void keep_best(std::vector<RulePossibility>& rules, std::size_t most) {
  sort_by(rules, [](const RulePossibility& rule) { return path_and_sum_us(rule.after); });
  std::vector<RulePossibility> best;
  for (RulePossibility& rule : rules)
    if (best.size() < most && std::ranges::count(best, rule.rule, &RulePossibility::rule) == 0)
      best.push_back(std::move(rule));
  rules = std::move(best);
}

}  // namespace

std::string_view name(HoldingBound bound) {
  constexpr std::array<std::string_view, kHoldingBounds> names = {"critical-path", "work",
                                                                  "bandwidth"};
  return names[static_cast<std::size_t>(bound)];
}

RewriteOutlook rewrite_outlook(const Planned& planned, const Device& device,
                               const ChooseWay& choose, double predicted_us,
                               std::size_t most_rules) {
  const Glance glance(planned, device, choose);
  RewriteOutlook outlook{.now = glance.of_lowered(planned.lowered())};
  const auto& bounds = outlook.now.bounds_us;
  const auto greatest = std::ranges::max_element(bounds);
  outlook.held_by = static_cast<HoldingBound>(greatest - bounds.begin());
  outlook.share = predicted_us > 0 ? *greatest / predicted_us : 0;
  const std::vector<SiteGroup> groups = wide_groups(planned.graph());
  const std::size_t nodes = std::max<std::size_t>(planned.graph().node_count(), 1);
  outlook.tried = std::min(groups.size(), std::max(kLeastGroups, kMostNodes / nodes));
  outlook.left_out = groups.size() - outlook.tried;
  for (const SiteGroup& group : std::span(groups).first(outlook.tried)) {
    auto found = glance.of_group(group);
    if (!found) continue;
    found->moved = moved_bounds(outlook.now, found->after);
    const double gained = 1 - path_and_sum_us(found->after) / path_and_sum_us(outlook.now);
    const bool moves_holder =
        std::ranges::find(found->moved, outlook.held_by) != found->moved.end();
    if (gained > kWorthTelling || moves_holder) outlook.rules.push_back(std::move(*found));
  }
  keep_best(outlook.rules, most_rules);
  return outlook;
}

}  // namespace braid
