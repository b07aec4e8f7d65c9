#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "graph/graph.h"

/// For tests: small graphs that a seed decides.

namespace braid {

inline const TensorType kSmallType{ElementType::F32, {2}};

/// `nodes` nodes over one input; each reads one or two earlier values, near ones more often. Every
/// third node has two outputs. The values that no node reads are the outputs.
inline Graph random_graph(std::uint32_t seed, int nodes) {
  std::mt19937 random(seed);
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  Graph graph;
  std::vector<ValueId> values = {graph.add_input("x", kSmallType)};
  for (int i = 0; i < nodes; ++i) {
    Node node;
    node.op = below(2) == 0 ? "A" : "B";
    const std::size_t reads = 1 + below(2);
    for (std::size_t k = 0; k < reads; ++k) {
      const std::size_t window = std::min<std::size_t>(values.size(), 1 + below(6));
      node.inputs.push_back(values[values.size() - 1 - below(window)]);
    }
    const std::vector<TensorType> types(i % 3 == 0 ? 2 : 1, kSmallType);
    const NodeId id = graph.add_node(std::move(node), types);
    for (ValueId output : graph.node(id).outputs) values.push_back(output);
  }
  for (ValueId id : graph.value_ids())
    if (graph.value(id).consumers.empty()) graph.add_output(id);
  return graph;
}

}  // namespace braid
