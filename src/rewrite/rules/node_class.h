#pragma once

#include <limits>

#include "rewrite/rule.h"

namespace braid {

struct NodeClassOptions {
  bool pairs = true;
  bool triples = false;  ///< of classes of four; more would have too many
  /// Members of a class that still becomes one.
  std::size_t most_at_once = std::numeric_limits<std::size_t>::max();
};

/// Matches of nodes any of which can take part together, the anchor among them: all of them, pairs,
/// and triples. A set is found once, at the first of its members in the graph's order, and the
/// match has the others in that order.
std::vector<Match> matches_of_class(const Site& site, std::vector<NodeId> others,
                                    const NodeClassOptions& options = {});

}  // namespace braid
