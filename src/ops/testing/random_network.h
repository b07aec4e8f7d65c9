#pragma once

#include <random>
#include <string>

#include "ops/builder.h"
#include "tensor/testing/random_tensor.h"

/// For tests: graphs of operators with kernels, that a seed decides.

namespace braid {

/// `nodes` nodes or a few more over the input [2,8,6,6]; each reads earlier values of that shape,
/// near ones more often. Among them are convolutions, pools, softmax, transposes, concatenations,
/// some of which are written in place, and views. Values that no node reads are outputs.
inline Graph random_network(std::uint32_t seed, int nodes) {
  std::mt19937 random(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const Dims dims = {2, 8, 6, 6};
  Graph graph;
  Builder builder(graph);
  std::vector<ValueId> values = {graph.add_input("x", {ElementType::F32, dims})};
  int constants = 0;
  const auto weights = [&](Dims shape) {
    return builder.constant("w" + std::to_string(constants++),
                            random_tensor(std::move(shape), random));
  };
  const auto any = [&] {
    return values[values.size() - 1 - below(std::min<std::size_t>(values.size(), 1 + below(8)))];
  };
  const auto ints = [](std::vector<std::int64_t> list) { return list; };
  const auto pool = [&] {
    Attributes attributes;
    attributes.set("kernel_shape", ints({3, 3}));
    attributes.set("pads", ints({1, 1, 1, 1}));
    return builder.add(below(2) == 0 ? "MaxPool" : "AveragePool", {any()}, attributes);
  };
  for (int i = 0; i < nodes; ++i) {
    ValueId made;
    switch (below(10)) {
      case 0: {
        Attributes attributes;
        attributes.set("pads", ints({1, 1, 1, 1}));
        made = builder.add("Conv", {any(), weights({8, 8, 3, 3})}, attributes);
        break;
      }
      case 1: {
        Attributes attributes;
        attributes.set("axis", std::int64_t{1});
        const ValueId both = builder.add("Concat", {any(), any()}, attributes);
        made = builder.add("Conv", {both, weights({8, 16, 1, 1})});
        break;
      }
      case 2:
        made = pool();
        break;
      case 3: {
        const ValueId rows = builder.add(
            "Reshape", {any(), builder.integers("s" + std::to_string(constants++), {16, 36})});
        const ValueId product = builder.add("MatMul", {rows, weights({36, 36})});
        made = builder.add("Reshape",
                           {product, builder.integers("s" + std::to_string(constants++), dims)});
        break;
      }
      case 4:
        made = builder.add(below(2) == 0 ? "Softmax" : "Sigmoid", {any()});
        break;
      case 5:
        made = builder.add(below(2) == 0 ? "Relu" : "Erf", {any()});
        break;
      case 6: {
        Attributes attributes;
        attributes.set("perm", ints({0, 1, 3, 2}));
        made = builder.add("Transpose", {any()}, attributes);
        break;
      }
      case 7: {
        Attributes attributes;
        attributes.set("axis", std::int64_t{1});
        const ValueId all = builder.add(
            "Concat", {builder.add("Add", {any(), any()}), pool(), any(), pool()}, attributes);
        made = builder.add("Conv", {all, weights({8, 32, 1, 1})});
        break;
      }
      default:
        made = builder.add(below(3) == 0 ? "Sub" : "Add", {any(), any()});
    }
    values.push_back(made);
  }
  for (const ValueId id : graph.value_ids())
    if (graph.value(id).producer.valid() && graph.value(id).consumers.empty()) graph.add_output(id);
  return graph;
}

}  // namespace braid
