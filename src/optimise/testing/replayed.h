#pragma once

#include "optimise/positional.h"

namespace braid {

/// The graph after these rounds; nothing if a move does not fit or is not allowed.
inline std::optional<RewrittenGraph> replayed(const Graph& graph,
                                              const std::vector<PositionalRound>& rounds) {
  RewrittenGraph rewritten(graph, rewrite_limits(graph));
  for (const PositionalRound& round : rounds) {
    for (const PositionalMove& move : round)
      if (!fits(move, rewritten.graph()) || !rewritten.apply(*move.rule, move.match))
        return std::nullopt;
    rewritten.end_round();
  }
  return rewritten;
}

}  // namespace braid
