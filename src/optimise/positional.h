#pragma once

#include <optional>
#include <vector>

#include "optimise/moves.h"

namespace braid {

/// One application of a rule by ids. It can be made again in every segment with the same key
/// (optimise/segment.h), in which nodes and values have the same ids under other names: now, and
/// after the same moves.
struct PositionalMove {
  const SearchedRule* rule = nullptr;
  Match match;

  bool operator==(const PositionalMove&) const = default;
};
using PositionalRound = std::vector<PositionalMove>;

/// All matches of the rules, by rules and then in the order of nodes. `rules` are names; empty:
/// all.
std::vector<PositionalMove> all_moves(const Graph& graph,
                                      const std::vector<std::string>& rules = {});

/// Whether the move's rule finds its match in this graph.
bool fits(const PositionalMove& move, const Graph& graph);

/// The move by names; and back, which gives nothing if it matches nothing in this graph.
Move named(const PositionalMove& move, const Graph& graph);
std::optional<PositionalMove> positional(const Move& move, const Graph& graph);

/// The graph after these rounds, which know them by name; nothing if a move does not fit or is not
/// allowed.
std::optional<RewrittenGraph> replayed(Graph graph, const std::vector<PositionalRound>& rounds,
                                       const RewriteLimits& limits,
                                       const std::vector<std::string>& untidied = {});

}  // namespace braid
