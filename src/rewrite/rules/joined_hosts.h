#pragma once

#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "rewrite/edit_builder.h"
#include "rewrite/rule.h"

/// For rules that make one host (rewrite/canonical/host.h) of several, or change several at once.

namespace braid {

/// Whether both nodes have the same activation, or none.
bool activate_alike(const Graph& graph, NodeId a, NodeId b);

/// Values that an edit replaces, and by what.
using Heirs = std::vector<std::pair<ValueId, ValueId>>;

/// What the host makes of its own product, to which a bias has been added: with its residual and
/// its activation, as nodes of their own. A residual that has an heir is that.
ValueId with_epilogue(EditBuilder& build, const Graph& graph, NodeId host, ValueId value,
                      const Heirs& heirs);

/// Replaces what several hosts make by the pieces of `made` along an axis, to which residuals and
/// activations are still to be added. Hosts are in the order of the graph.
void hand_out(EditBuilder& build, const Graph& graph, const std::vector<NodeId>& hosts,
              ValueId made, const std::vector<std::int64_t>& lengths, std::int64_t axis,
              const std::string& name);

/// The matches that join alike nodes: all of them, up to the most, and the first 10, 5, 4 and 2.
std::vector<Match> matches_of_some(const std::vector<NodeId>& nodes, std::size_t most);

/// The anchor and the nodes of a match.
std::vector<NodeId> all_nodes(const Match& match);

/// Whether the dimensions are the same but along one axis.
bool differ_only_along(const Dims& a, const Dims& b, std::size_t axis);

}  // namespace braid
