#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"
#include "plan/edits.h"

namespace braid {

/// A node as the model had it, before steps joined it with others.
struct OriginalNode {
  std::string name;
  std::vector<std::string> outputs;
  std::vector<std::int32_t> readers;  ///< indices of the nodes that read them
};

/// The nodes of a graph, each after the producers of its inputs.
std::vector<OriginalNode> original_nodes(const Graph& graph);

/// The names by which people may call the nodes of a lowered graph: the node's own, those of its
/// outputs, and those of nodes of the original model that are now part of it. A vanished node is
/// part of the node that makes its outputs, or of the one node that all its readers are part of. A
/// name may belong to several nodes.
class NodeNames {
 public:
  explicit NodeNames(const Graph& lowered, const std::vector<OriginalNode>& original = {});

  /// The nodes of that name, ascending.
  std::vector<NodeId> called(const std::string& name) const;
  /// The nodes that a pattern means, ascending. Throws Model, with a name that may have been meant,
  /// if there are none; Quota if too many patterns were looked for in too many names.
  std::vector<NodeId> find(const NodePattern& pattern) const;

 private:
  void add(const std::string& name, NodeId node);

  std::unordered_map<std::string, std::vector<NodeId>> nodes_;
  std::vector<std::string> names_;  // in the order in which they were added
  mutable std::size_t compared_ = 0;
};

/// Whether a name matches a pattern in which `*` stands for any characters and `?` for one.
bool matches(std::string_view pattern, std::string_view name);

}  // namespace braid
