#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "graph/edit.h"
#include "rewrite/allowance.h"
#include "rewrite/node_places.h"

namespace braid {

/// The place where a rule looks: a node, called the anchor, in its graph.
struct Site {
  const Graph& graph;
  NodeId anchor;
  const NodePlaces& places;

  const Node& node() const { return graph.node(anchor); }
};

/// One way to apply a rule at an anchor. What the lists mean depends on the rule.
struct Match {
  NodeId anchor;
  std::vector<NodeId> nodes = {};             ///< that take part besides the anchor
  std::vector<ValueId> values = {};           ///< that take part
  std::vector<std::int64_t> parameters = {};  ///< how: which side, how many groups, which piece

  bool operator==(const Match&) const = default;
};

/// A substitution: where it can be made, and what it puts there. It leaves the graph valid and
/// equal: the same outputs with the same names, types and numbers (up to rounding where arithmetic
/// is joined). A value that survives under its name still means the same.
///
/// Listing matches is cheap and changes nothing: it makes no constants and no nodes, so that a
/// search may list all and apply few.
struct Rule {
  std::string_view name;
  std::string_view help;
  std::vector<std::string_view> operators;  ///< of anchors; empty: any
  /// All ways to apply the rule here, the best first.
  std::vector<Match> (*matches)(const Site& site);
  /// Fills an edit for a match found in this very graph; false if the allowance does not suffice.
  bool (*build)(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit);
  /// Whether to look at the last node first: for rules that gather what lies before their anchor.
  bool from_the_end = false;
};

/// The matches at a node; none if the rule is not for its operator.
std::vector<Match> matches_at(const Rule& rule, const Site& site);

/// The edit of a match, under the rule's name; nothing if the allowance does not suffice.
std::optional<GraphEdit> apply(const Rule& rule, const Graph& graph, const Match& match,
                               Allowance& allowance);

/// One pass: at every node that there is when it begins, applies the first match that is allowed.
/// Returns the number of edits.
std::int64_t apply_everywhere(const Rule& rule, Graph& graph, Allowance& allowance);

}  // namespace braid
