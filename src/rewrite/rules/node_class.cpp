#include "rewrite/rules/node_class.h"

#include <algorithm>

namespace braid {

std::vector<Match> matches_of_class(const Site& site, std::vector<NodeId> others,
                                    const NodeClassOptions& options) {
  const auto place = [&](NodeId id) { return std::pair(site.places.position(id), id.index); };
  std::ranges::sort(others, {}, place);
  others.erase(std::unique(others.begin(), others.end()), others.end());
  const std::size_t members = others.size() + 1;
  const auto later = std::ranges::upper_bound(others, place(site.anchor), {}, place);
  std::vector<Match> found;
  if (members < 2) return found;
  if (later == others.begin() && members <= options.most_at_once)
    found.push_back({.anchor = site.anchor, .nodes = others});
  if (members > 2 && options.pairs)
    for (auto i = later; i != others.end(); ++i)
      found.push_back({.anchor = site.anchor, .nodes = {*i}});
  if (members == 4 && options.triples)
    for (auto i = later; i != others.end(); ++i)
      for (auto j = i + 1; j != others.end(); ++j)
        found.push_back({.anchor = site.anchor, .nodes = {*i, *j}});
  return found;
}

}  // namespace braid
