#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graph/edit.h"
#include "graph/graph.h"

namespace braid {

/// The change that writes a node as several others, the last of which makes its first output.
class Expansion {
 public:
  Expansion(const Graph& graph, NodeId id);

  const Node& node() const { return node_; }
  /// The type of the output that is being expanded.
  const TensorType& type() const { return type_; }

  /// Adds a node with one output of that type, or of another.
  ValueId add(std::string_view op, std::vector<ValueId> inputs, Attributes attributes = {},
              const std::string& name = {});
  ValueId add(std::string_view op, std::vector<ValueId> inputs, Attributes attributes,
              const TensorType& type, const std::string& name = {});
  ValueId constant(Tensor tensor);
  /// A scalar of the output's element type, or of another.
  ValueId number(double x);
  ValueId number(double x, ElementType element);

  /// Gelu(x) in operators that opset 9 has.
  ValueId gelu(ValueId x);
  ValueId gelu_tanh(ValueId x);

  /// The whole change. Nothing may be added after it.
  GraphEdit finish(ValueId result);

 private:
  GraphEdit edit_;
  const Node& node_;
  ValueId old_;
  TensorType type_;
};

}  // namespace braid
