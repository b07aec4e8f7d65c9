#include "rewrite/recipe.h"
#include "rewrite/rules/convolution.h"
#include "rewrite/rules/rules.h"

namespace braid {
namespace {

/// A kernel that reads few channels of each group may be slower than one that reads more, most of
/// them by zeros.
constexpr std::int64_t kMostJoined = 16;

std::vector<Match> find_grouped(const Site& site) {
  const auto conv = convolution(site.graph, site.anchor);
  if (!conv || conv->is_dense()) return {};
  std::vector<Match> found;
  for (std::int64_t factor = 2; factor <= std::min(kMostJoined, conv->geometry.groups); factor *= 2)
    if (conv->geometry.groups % factor == 0)
      found.push_back({.anchor = site.anchor, .parameters = {factor}});
  return found;
}

bool join_groups(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const Convolution conv = *convolution(graph, match.anchor);
  const std::int64_t factor = match.parameters[0];
  EditBuilder build(graph, allowance, edit);
  ConvChange change;
  change.weights = merged_groups(conv.weights, conv.geometry.groups, factor);
  change.groups = conv.geometry.groups / factor;
  build.replace(graph.node(match.anchor).outputs[0],
                add_convolution(build, graph, conv, change, name_of(graph, match.anchor)));
  return build.affordable();
}

}  // namespace

SearchedRule merge_groups() {
  return {{"merge-groups",
           "make fewer, larger groups of a grouped convolution, filled up with zeros",
           {"Conv"},
           find_grouped,
           join_groups},
          "S4",
          "conv(x, w, g) = conv(x, w', g/c), w' = w in slot floor(o g / Co) mod c, else 0"};
}

}  // namespace braid
