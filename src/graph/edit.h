#pragma once

#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"

namespace braid {

/// A change of a graph, as a value: new constants, new nodes, and values to be replaced. It is made
/// against a graph and applied by Graph::apply; until then the graph is as it was.
///
///     GraphEdit edit("fold-batch-norm");
///     ValueId w2 = edit.add_constant("w", folded);
///     ValueId y2 = edit.add_node({.op = "Conv", .inputs = {x, w2}}, {type})[0];
///     edit.replace(y, y2);     // y2 takes y's name and its place among the outputs
///     graph.apply(edit);
///
/// New values have provisional ids, valid in this edit only.
class GraphEdit {
 public:
  explicit GraphEdit(std::string rule) : rule_(std::move(rule)) {}

  ValueId add_constant(std::string name, Tensor constant);
  /// Nodes are added inputs first.
  std::vector<ValueId> add_node(Node node, std::vector<TensorType> types);
  /// Every use of `old` becomes a use of `with`, which has the same type; the nodes of this edit go
  /// on reading `old`, so that a new node can wrap it. If `with` is new in this edit and `old` is
  /// gone it takes the old value's name; a graph output keeps its own name in any case. A value is
  /// replaced once, and not by one that is replaced itself.
  void replace(ValueId old, ValueId with);

  const std::string& rule() const { return rule_; }

  /// Whether the value is one of this edit's, whose type and elements these tell; it has no
  /// elements if it is no constant.
  static bool is_new(ValueId id) { return id.index >= kProvisional; }
  const TensorType& type_of_new(ValueId id) const { return values_[new_index(id)].type; }
  const Tensor& constant_of_new(ValueId id) const { return values_[new_index(id)].constant; }

 private:
  friend class Graph;
  struct NewNode {
    Node node;
    std::vector<TensorType> types;
    std::vector<std::int32_t> outputs;  // indices among the new values
  };
  struct NewValue {
    std::string name;
    Tensor constant;  // defined for constants
    TensorType type;
    std::int32_t node = -1;
  };
  static constexpr std::int32_t kProvisional = 1 << 30;
  static std::size_t new_index(ValueId id) {
    return static_cast<std::size_t>(id.index - kProvisional);
  }

  std::string rule_;
  std::vector<NewValue> values_;
  std::vector<NewNode> nodes_;
  std::vector<std::pair<ValueId, ValueId>> replaced_;
};

}  // namespace braid
