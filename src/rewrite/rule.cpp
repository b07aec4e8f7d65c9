#include "rewrite/rule.h"

#include <algorithm>

namespace braid {

std::vector<Match> matches_at(const Rule& rule, const Site& site) {
  const auto& operators = rule.operators;
  if (!operators.empty() &&
      std::find(operators.begin(), operators.end(), site.node().op) == operators.end())
    return {};
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
