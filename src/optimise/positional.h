#pragma once

#include <vector>

#include "optimise/moves.h"

namespace braid {

/// One application of a rule, by ids: it means something only in the graph in which it was found,
/// where it can be made without looking for names. Splicing (splice.h) finds it again elsewhere.
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

}  // namespace braid
