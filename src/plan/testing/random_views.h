#pragma once

#include <random>

#include "graph/graph.h"
#include "plan/view.h"

/// For tests of Plans: small graphs that a seed decides, with every kind of view.

namespace braid {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }

 private:
  std::mt19937_64 engine_;
};

/// Joins, cuts, transposes or renames what the node reads, and gives the types of its outputs.
inline std::vector<TensorType> draw_view(Dice& dice, const Graph& graph, Node& node) {
  const TensorType& in = graph.value(node.inputs[0]).type;
  const auto typed = [&](Dims dims) { return TensorType{in.element, std::move(dims)}; };
  const auto rows = in.dims[0];
  const auto columns = in.dims[1];
  if (dice.one_in(3) && node.inputs.size() == 2 &&
      graph.value(node.inputs[1]).type.dims[0] == rows) {
    node.op = "Concat";
    node.attributes.set("axis", std::int64_t{1});
    return {typed({rows, columns + graph.value(node.inputs[1]).type.dims[1]})};
  }
  node.inputs.resize(1);
  if (dice.one_in(3) && (rows % 2 == 0 || columns % 2 == 0)) {
    const bool by_rows = rows % 2 == 0 && (columns % 2 != 0 || dice.one_in(2));
    node.op = "Split";
    node.attributes.set("axis", std::int64_t{by_rows ? 0 : 1});
    const Dims half = by_rows ? Dims{rows / 2, columns} : Dims{rows, columns / 2};
    return {typed(half), typed(half)};
  }
  if (dice.one_in(3)) {
    node.op = "Transpose";
    return {typed({columns, rows})};
  }
  const std::vector<std::string> renames = {"Identity", "Dropout", "Flatten", "Reshape",
                                            "Unsqueeze"};
  node.op = dice.pick(renames);
  if (node.op == "Reshape") return {typed({columns, rows})};
  if (node.op == "Unsqueeze") return {typed({rows, 1, columns})};
  return {in};
}

/// A few nodes that mix their inputs, among them views, nodes with scratch, cuts, two outputs.
inline Graph random_graph(Dice& dice) {
  Graph graph;
  const auto type = [&] {
    return TensorType{ElementType::F32, {dice.one_in(2) ? 1 : 2, dice.one_in(2) ? 16 : 32}};
  };
  std::vector<ValueId> values = {graph.add_input("x", type())};
  const std::size_t nodes = 2 + dice.below(5);
  for (std::size_t n = 0; n < nodes; ++n) {
    Node node;
    node.op = "Mix";
    for (std::size_t i = 0; i < 1 + dice.below(2); ++i)
      node.inputs.push_back(dice.one_in(2) ? values.back() : dice.pick(values));
    std::vector<TensorType> types = {type()};
    if (dice.one_in(6)) types.push_back(type());
    if (dice.one_in(3)) {
      types = draw_view(dice, graph, node);
      node.lowering.implementation = "view";
    } else {
      if (dice.one_in(4)) node.lowering.scratch_bytes = 64;
      if (types.size() == 1 && dice.one_in(3)) node.lowering.cuts = {{1, 8}};
    }
    const bool unsqueezed = node.op == "Unsqueeze";
    NodeId id = graph.add_node(std::move(node), types);
    if (unsqueezed) {  // and back, since all others are matrices
      Node squeeze;
      squeeze.op = "Squeeze";
      squeeze.inputs = {graph.node(id).outputs[0]};
      squeeze.lowering.implementation = "view";
      const Dims dims = types[0].dims;
      id = graph.add_node(std::move(squeeze), {{types[0].element, {dims[0], dims[2]}}});
    }
    for (const ValueId output : graph.node(id).outputs) values.push_back(output);
  }
  for (const ValueId value : graph.value_ids())
    if (graph.value(value).producer.valid() &&
        (graph.value(value).consumers.empty() || dice.one_in(8)))
      graph.add_output(value);
  for (const NodeId id : graph.node_ids()) {
    const Node& node = graph.node(id);
    if (node.lowering.implementation == "view" && rejects_view(graph, id))
      graph.set_lowering(id, {"copy", 0, {}});
  }
  return graph;
}

}  // namespace braid
