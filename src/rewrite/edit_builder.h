#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graph/edit.h"
#include "rewrite/allowance.h"

namespace braid {

/// Fills an edit of a graph: infers the types of its nodes and pays for its constants.
class EditBuilder {
 public:
  EditBuilder(const Graph& graph, Allowance& allowance, GraphEdit& edit)
      : graph_(graph), allowance_(allowance), edit_(edit) {}

  /// Of a value of the graph or of the edit.
  const TensorType& type(ValueId id) const;
  const Dims& dims(ValueId id) const { return type(id).dims; }

  /// Adds a node; it names the node after what it replaces, if a name is given. Throws Model as
  /// inference does.
  std::vector<ValueId> add_node(Node node, std::size_t outputs = 1);
  /// The common case: one output.
  ValueId add(std::string_view op, std::vector<ValueId> inputs, Attributes attributes = {},
              std::string name = {});
  /// A constant, which may be promised: its bytes are taken from the allowance.
  ValueId constant(std::string name, Tensor tensor);
  ValueId integers(std::string name, const std::vector<std::int64_t>& list);

  /// The values one behind the other; a single one is itself.
  ValueId concat(std::vector<ValueId> values, std::int64_t axis, std::string name = {});
  /// The value in pieces of these lengths.
  std::vector<ValueId> split(ValueId value, const std::vector<std::int64_t>& lengths,
                             std::int64_t axis, std::string name = {});

  void replace(ValueId old, ValueId with) { edit_.replace(old, with); }
  /// Whether the allowance sufficed for all constants. A rule's `build` returns it.
  bool affordable() const { return affordable_; }

 private:
  const Tensor* elements(ValueId id) const;

  const Graph& graph_;
  Allowance& allowance_;
  GraphEdit& edit_;
  bool affordable_ = true;
};

}  // namespace braid
