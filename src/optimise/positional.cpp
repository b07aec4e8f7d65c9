#include "optimise/positional.h"

#include <algorithm>

namespace braid {

std::vector<PositionalMove> all_moves(const Graph& graph, const std::vector<std::string>& rules) {
  std::vector<PositionalMove> moves;
  const NodePlaces places(graph);
  const std::vector<NodeId> order = graph.nodes_in_order();
  for (const SearchedRule& row : searched_rules()) {
    if (!rules.empty() && std::ranges::find(rules, row.rule.name) == rules.end()) continue;
    for (const NodeId anchor : order)
      for (Match& match : matches_at(row.rule, {graph, anchor, places}))
        moves.push_back({&row, std::move(match)});
  }
  return moves;
}

bool fits(const PositionalMove& move, const Graph& graph) {
  if (!graph.alive(move.match.anchor)) return false;
  const NodePlaces places(graph);
  const auto matches = matches_at(move.rule->rule, {graph, move.match.anchor, places});
  return std::ranges::find(matches, move.match) != matches.end();
}

}  // namespace braid
