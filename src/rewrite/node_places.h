#pragma once

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

  /// Takes in the nodes that an edit at this node has made.
  void follow_edit(NodeId anchor);

 private:
  int level_from_inputs(const Node& node) const;

  const Graph& graph_;
  std::vector<int> level_;
  std::vector<int> position_;
};

}  // namespace braid
