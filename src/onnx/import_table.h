#pragma once

#include <functional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "ops/builder.h"

namespace braid::onnx {

/// A node on its way from the form of its opset to the form of its OpDef.
struct Translation {
  Node node;                         ///< as it stands in the model; then as it shall be
  std::vector<std::string> outputs;  ///< their names; "": not wanted
  int opset = 0;
  Builder& builder;
  std::function<std::string(const std::string&)> fresh_name;  ///< a free name like the given one

  const TensorType& type(std::size_t input) const;
  bool has_input(std::size_t i) const { return i < node.inputs.size() && node.inputs[i].valid(); }
  /// Makes the value the node's input `i`; inputs between are absent.
  void set_input(std::size_t i, ValueId value);
  /// New values whose names begin with the node's.
  ValueId constant(const std::string& what, Tensor tensor);
  ValueId integers(const std::string& what, const std::vector<std::int64_t>& list);
  ValueId add(const std::string& op, std::vector<ValueId> inputs, Attributes attributes,
              const std::string& what);

 private:
  std::string label(const std::string& what) const;
};

/// Brings a node into the form of its OpDef. Throws Unsupported for forms that have none.
void translate(Translation& translation);

}  // namespace braid::onnx
