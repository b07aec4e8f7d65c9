#pragma once

#include <vector>

#include "optimise/positional.h"

namespace braid {

/// Nodes that a cut should leave together: a rule matches them.
struct Bond {
  std::vector<NodeId> nodes;
  double weight = 1;  ///< what is lost if they are parted
};

/// A bond for each set of nodes in which rules match; it weighs as much as it has matches.
/// `rules` are names; empty: all.
std::vector<Bond> match_bonds(const Graph& graph, const std::vector<std::string>& rules = {});

/// The nodes of one part, each after those that it needs.
using Part = std::vector<NodeId>;

/// How many of the nodes count as operators: the size of a part.
std::size_t operator_count(const Graph& graph, const Part& nodes);

struct PartitionOptions {
  std::size_t size_lower = 20;  ///< what has so many operators is cut again
  double balance = 0.3;         ///< the share of operators that either side of a cut has at least
};

/// Cuts the graph by minimum cuts into parts of less than `size_lower` operators, in an order in
/// which every node needs only its own part and those before. A cut parts as little weight of bonds
/// as can be and then as few values as can be; of all such cuts two are known, and the one nearer
/// to the middle is made.
std::vector<Part> partition(const Graph& graph, const std::vector<Bond>& bonds,
                            const PartitionOptions& options = {});

}  // namespace braid
