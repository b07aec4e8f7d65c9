#pragma once

#include <span>
#include <vector>

#include "graph/graph.h"

namespace braid {

/// Where the nodes of a graph stand during one pass over them: facts that would be costly to find
/// out again for every match.
class NodePlaces {
 public:
  explicit NodePlaces(const Graph& graph);

  /// Nodes on the longest path that ends with the value; the value's own level (graph.h), which is
  /// mostly 0, if no node makes it. What an edit puts
  /// in the place of a node changes the levels behind it only in the next pass.
  int level(ValueId value) const;
  int level(NodeId node) const { return level_[node.at()]; }
  /// The node's position in the order of the graph. A node that an edit made stands where the
  /// edit's anchor stood.
  int position(NodeId node) const { return position_[node.at()]; }

  /// The nodes of a level in the graph's order, as they were when the pass began. None of them
  /// depends on another.
  std::span<const NodeId> at_level(int level) const;

  /// Takes in the nodes that an edit at this node has made.
  void follow_edit(NodeId anchor);

 private:
  int level_from_inputs(const Node& node) const;
  void sort_by_level(const std::vector<NodeId>& order);

  const Graph& graph_;
  std::vector<int> level_;
  std::vector<int> position_;
  std::vector<NodeId> by_level_;        // those of level 1, then those of level 2, …
  std::vector<std::size_t> level_end_;  // of each level: where it ends in by_level_
};

}  // namespace braid
