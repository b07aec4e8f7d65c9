#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "ops/call.h"

namespace braid {

/// Builds a graph node by node: infers types, and follows small values (shapes, indices, axes) as
/// far as constants decide them, so that operators whose output shape depends on such a value can
/// be inferred.
class Builder {
 public:
  explicit Builder(Graph& graph) : graph_(graph) {}

  Graph& graph() { return graph_; }

  /// Adds a node with as many outputs as there are `output_names` (one if there are none; in the
  /// middle of the list "" means not wanted, as the only or last entry it means "any name"). Throws
  /// Model or Unsupported with a note that names the node.
  NodeId add_node(Node node, const std::vector<std::string>& output_names = {});
  /// The common case: one output.
  ValueId add(std::string_view op, std::vector<ValueId> inputs, Attributes attributes = {},
              std::string name = {});
  ValueId constant(const std::string& name, Tensor tensor) {
    return graph_.add_constant(name, std::move(tensor));
  }
  ValueId integers(const std::string& name, std::vector<std::int64_t> list);

  const TensorType& type(ValueId id) const { return graph_.value(id).type; }
  const Dims& dims(ValueId id) const { return type(id).dims; }
  const KnownValues& known() const { return known_; }

 private:
  std::vector<TensorType> infer_types(const OpDef& def, OpCall call, const Node& node) const;
  void follow(NodeId id);

  Graph& graph_;
  KnownValues known_;
};

/// The names of the graph inputs from whose elements a value is computed.
std::vector<std::string> deciding_inputs(const Graph& graph, ValueId value);

/// Recomputes what a Builder knows about a finished graph.
KnownValues known_values(const Graph& graph);

/// Reads a graph's text form (graph/text.h) with the types inferred by the operators.
Graph parse(std::string_view text);

}  // namespace braid
