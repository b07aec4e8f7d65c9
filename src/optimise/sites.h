#pragma once

#include <vector>

#include "base/hash.h"
#include "optimise/moves.h"

namespace braid {

/// How many places of a graph a candidate changes at once.
enum class Reach {
  Everywhere,  ///< all sites of a rule with these parameters
  Alike,       ///< those whose nodes are of the same operators, attributes and types, too
  One          ///< a single site
};

/// Sites of one rule that are rewritten together. A gain that is too small to be told from noise at
/// one site of a repeated cell may be plain at all of them.
struct SiteGroup {
  const SearchedRule* rule = nullptr;
  std::vector<std::int64_t> parameters = {};
  Reach reach = Reach::One;
  Hash128 alike = {};  ///< of Alike: what the sites have in common
  Move one = {};       ///< of One
  std::size_t sites = 0;
};

/// All groups of a graph, in the order of rules, then of nodes. A group that has the sites of a
/// smaller reach only is left out.
std::vector<SiteGroup> site_groups(const Graph& graph, const std::vector<std::string>& disabled);

/// Applies the rule at the group's sites, one after another, and ends the round. Returns the number
/// of sites; limits, or one site's change, may have left out others.
std::size_t apply_group(RewrittenGraph& rewritten, const SiteGroup& group);

}  // namespace braid
