#include "rewrite/rule.h"

#include <algorithm>

namespace braid {
namespace {

bool is_for(const Rule& rule, const Node& node) {
  return rule.operators.empty() ||
         std::ranges::find(rule.operators, node.op) != rule.operators.end();
}

}  // namespace

std::vector<Match> matches_at(const Rule& rule, const Site& site) {
  if (!is_for(rule, site.node())) return {};
  return rule.matches(site);
}

std::optional<GraphEdit> apply(const Rule& rule, const Graph& graph, const Match& match,
                               Allowance& allowance) {
  GraphEdit edit{std::string(rule.name)};
  if (!rule.build(graph, match, allowance, edit)) return std::nullopt;
  return edit;
}

std::int64_t apply_everywhere(const Rule& rule, Graph& graph, Allowance& allowance) {
  std::int64_t edits = 0;
  const std::vector<NodeId> ids = graph.node_ids();
  if (std::ranges::none_of(ids, [&](NodeId id) { return is_for(rule, graph.node(id)); })) return 0;
  NodePlaces places(graph);
  std::vector<NodeId> order = graph.nodes_in_order();
  if (rule.from_the_end) std::reverse(order.begin(), order.end());
  for (NodeId anchor : order) {
    if (!graph.alive(anchor)) continue;
    for (const Match& match : matches_at(rule, {graph, anchor, places})) {
      const auto edit = apply(rule, graph, match, allowance);
      if (!edit) continue;
      graph.apply(*edit);
      places.follow_edit(anchor);
      ++edits;
      break;
    }
  }
  return edits;
}

}  // namespace braid
