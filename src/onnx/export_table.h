#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "ops/call.h"

namespace braid::onnx {

/// A node as a model will have it: values by their names.
struct ExportNode {
  std::string name;
  std::string op;
  Attributes attributes;
  std::vector<std::string> inputs;   ///< "": absent
  std::vector<std::string> outputs;  ///< "": not wanted
};

/// A node on its way from the form of its OpDef to the form of an opset.
struct Export {
  const Graph& graph;
  const Node& original;
  int opset;
  ExportNode node;                 ///< as its OpDef has it; then as the opset has it
  std::vector<ExportNode> before;  ///< nodes that must come first …
  std::vector<ExportNode> after;   ///< … and last
  std::vector<std::pair<std::string, Tensor>> constants;      ///< new ones
  std::function<std::string(const std::string&)> fresh_name;  ///< a free name like the given one
  std::function<const KnownValues&()> known_values;

  bool has_input(std::size_t i) const { return i < node.inputs.size() && !node.inputs[i].empty(); }
  const TensorType& type(std::size_t input) const;
  /// The elements of an input that older opsets want as an attribute. Throws Unsupported, calling
  /// it `what`, if they are not known.
  Tensor known(std::size_t input, std::string_view what) const;
  std::vector<std::int64_t> known_integers(std::size_t input, std::string_view what) const;
  void drop_inputs_from(std::size_t first);
  void set_input(std::size_t i, const std::string& what, Tensor constant);
  [[noreturn]] void unsupported(std::string_view what) const;
};

/// Brings a node into the form of the opset. Throws Unsupported if there is none.
void translate(Export& e);

}  // namespace braid::onnx
