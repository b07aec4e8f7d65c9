#include "optimise/sites.h"

#include <algorithm>
#include <map>

namespace braid {
namespace {

bool belongs(const SiteGroup& group, const Graph& graph, const Match& match) {
  if (match.parameters != group.parameters) return false;
  return group.reach == Reach::Everywhere || kind_of(graph, match) == group.alike;
}

std::size_t apply_one(RewrittenGraph& rewritten, const SiteGroup& group) {
  const NodePlaces places(rewritten.graph());
  const auto match = find_match(rewritten.graph(), places, group.one);
  return match && rewritten.apply(*group.rule, *match) ? 1 : 0;
}

std::size_t apply_many(RewrittenGraph& rewritten, const SiteGroup& group) {
  std::size_t sites = 0;
  NodePlaces places(rewritten.graph());
  std::vector<NodeId> order = rewritten.graph().nodes_in_order();
  if (group.rule->rule.from_the_end) std::ranges::reverse(order);
  for (const NodeId anchor : order) {
    if (!rewritten.graph().alive(anchor)) continue;
    for (const Match& match : matches_at(group.rule->rule, {rewritten.graph(), anchor, places})) {
      if (!belongs(group, rewritten.graph(), match)) continue;
      if (!rewritten.apply(*group.rule, match)) continue;
      places.follow_edit(anchor);
      ++sites;
      break;
    }
  }
  return sites;
}

}  // namespace

std::vector<SiteGroup> site_groups(const Graph& graph, const std::vector<std::string>& disabled) {
  std::vector<SiteGroup> groups;
  const NodePlaces places(graph);
  const std::vector<NodeId> order = graph.nodes_in_order();
  for (const SearchedRule& rule : searched_rules()) {
    if (std::ranges::find(disabled, rule.rule.name) != disabled.end()) continue;
    std::map<std::vector<std::int64_t>, SiteGroup> everywhere;
    std::map<std::pair<std::vector<std::int64_t>, std::string>, SiteGroup> alike;
    std::vector<SiteGroup> ones;
    for (const NodeId anchor : order)
      for (const Match& match : matches_at(rule.rule, {graph, anchor, places})) {
        SiteGroup group{&rule,
                        match.parameters,
                        Reach::One,
                        kind_of(graph, match),
                        move_of(rule.rule, graph, match),
                        1};
        for (SiteGroup* wider :
             {&everywhere[match.parameters], &alike[{match.parameters, to_string(group.alike)}]}) {
          const std::size_t sites = wider->sites + 1;
          if (sites == 1) *wider = group;
          wider->sites = sites;
        }
        ones.push_back(std::move(group));
      }
    for (auto& [key, group] : everywhere) {
      const std::size_t kinds = static_cast<std::size_t>(
          std::ranges::count_if(alike, [&](const auto& row) { return row.first.first == key; }));
      group.reach = Reach::Everywhere;
      if (kinds > 1) groups.push_back(group);
    }
    for (auto& [key, group] : alike) {
      group.reach = Reach::Alike;
      if (group.sites > 1) groups.push_back(group);
    }
    groups.insert(groups.end(), ones.begin(), ones.end());
  }
  return groups;
}

std::size_t apply_group(RewrittenGraph& rewritten, const SiteGroup& group) {
  const std::size_t sites =
      group.reach == Reach::One ? apply_one(rewritten, group) : apply_many(rewritten, group);
  rewritten.end_round();
  return sites;
}

}  // namespace braid
