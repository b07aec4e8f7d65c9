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

Move named(const PositionalMove& move, const Graph& graph) {
  return move_of(move.rule->rule, graph, move.match);
}

std::optional<PositionalMove> positional(const Move& move, const Graph& graph) {
  auto match = find_match(graph, NodePlaces(graph), move);
  if (!match) return std::nullopt;
  return PositionalMove{&searched_rule(move.rule), std::move(*match)};
}

std::optional<RewrittenGraph> replayed(Graph graph, const std::vector<PositionalRound>& rounds,
                                       const RewriteLimits& limits,
                                       const std::vector<std::string>& untidied) {
  RewrittenGraph rewritten(std::move(graph), limits, untidied);
  for (const PositionalRound& round : rounds) {
    for (const PositionalMove& move : round)
      if (!fits(move, rewritten.graph()) || !rewritten.apply(*move.rule, move.match))
        return std::nullopt;
    rewritten.end_round();
  }
  return rewritten;
}

}  // namespace braid
