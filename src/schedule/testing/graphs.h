#pragma once

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cost/cost_model.h"
#include "graph/graph.h"
#include "ops/testing/case.h"

/// For tests: graphs of the usual shapes, and costs.

namespace braid {

/// Grows a graph of nodes that all have one type.
class Grower {
 public:
  Grower() : input_(graph_.add_input("x", type_)) {}
  ValueId input() const { return input_; }
  ValueId add(std::vector<ValueId> inputs, std::int64_t scratch = 0, std::vector<Cut> cuts = {}) {
    Node node;
    node.op = "Mix";
    node.inputs = std::move(inputs);
    node.lowering = {"k", scratch, std::move(cuts)};
    return graph_.node(graph_.add_node(std::move(node), {type_})).outputs[0];
  }
  /// A node that may be cut into up to eight parts.
  ValueId add_cuttable(std::vector<ValueId> inputs) { return add(std::move(inputs), 64, {{0, 8}}); }
  ValueId add_view(ValueId input) { return add_view("Identity", {input}, type_); }
  /// A Concat whose inputs lie in its output.
  ValueId add_joining_view(std::vector<ValueId> inputs) {
    TensorType joined = type_;
    joined.dims[0] *= static_cast<std::int64_t>(inputs.size());
    return add_view("Concat", std::move(inputs), joined);
  }
  Graph finish(ValueId output) {
    graph_.add_output(output);
    graph_.remove_dead();
    return std::move(graph_);
  }

 private:
  ValueId add_view(std::string op, std::vector<ValueId> inputs, const TensorType& type) {
    Node node;
    node.op = std::move(op);
    node.inputs = std::move(inputs);
    node.lowering.implementation = kViewImplementation;
    return graph_.node(graph_.add_node(std::move(node), {type})).outputs[0];
  }

  TensorType type_{ElementType::F32, {64}};
  Graph graph_;
  ValueId input_;
};

inline Graph chain_graph(int length = 10) {
  Grower grower;
  ValueId at = grower.input();
  for (int i = 0; i < length; ++i)
    at = i % 2 == 0 ? grower.add_cuttable({at}) : grower.add({at}, i % 3 == 0 ? 100 : 0);
  return grower.finish(at);
}

inline Graph diamond_graph() {
  Grower grower;
  const ValueId top = grower.add({grower.input()});
  return grower.finish(grower.add({grower.add({top}), grower.add({top})}));
}

inline Graph tree_graph() {
  Grower grower;
  std::vector<ValueId> row(16, grower.input());
  for (ValueId& leaf : row) leaf = grower.add({leaf}, 64);
  while (row.size() > 1) {
    std::vector<ValueId> next;
    for (std::size_t i = 0; i < row.size(); i += 2)
      next.push_back(grower.add({row[i], row[i + 1]}));
    row = std::move(next);
  }
  return grower.finish(row[0]);
}

inline Graph inception_block() {
  Grower grower;
  const ValueId top = grower.add({grower.input()});
  std::vector<ValueId> ends;
  for (int length : {1, 2, 3, 2}) {
    ValueId at = top;
    for (int i = 0; i < length; ++i)
      at = i == 0 ? grower.add({at}, 256) : grower.add_cuttable({at});
    ends.push_back(at);
  }
  return grower.finish(grower.add(ends));
}

/// A random graph with views, nodes that may be cut, and scratch.
inline Graph random_task_graph(std::uint64_t seed, int nodes = 40) {
  std::mt19937_64 engine(seed);
  Grower grower;
  std::vector<ValueId> values = {grower.input()};
  const auto recent = [&] {
    const std::size_t window = std::min<std::size_t>(values.size(), 6);
    return values[values.size() - 1 - engine() % window];
  };
  for (int i = 0; i < nodes; ++i) {
    std::vector<ValueId> inputs = {recent()};
    if (engine() % 2 == 0) inputs.push_back(recent());
    const auto scratch = static_cast<std::int64_t>(engine() % 3) * 64;
    if (engine() % 8 == 0 && inputs[0] != grower.input())
      values.push_back(grower.add_view(inputs[0]));
    else if (engine() % 3 == 0)
      values.push_back(grower.add_cuttable(std::move(inputs)));
    else
      values.push_back(grower.add(std::move(inputs), scratch));
  }
  return grower.finish(grower.add(values));
}

struct Shape {
  std::string name;
  std::function<Graph()> make;
};

inline std::vector<Shape> shapes() {
  std::vector<Shape> all = {{"chain", [] { return chain_graph(); }},
                            {"diamond", diamond_graph},
                            {"tree", tree_graph},
                            {"inception block", inception_block}};
  const std::uint64_t random = is_full() ? 8 : 4;
  for (std::uint64_t seed = 1; seed <= random; ++seed)
    all.push_back(
        {"random graph, seed " + std::to_string(seed), [=] { return random_task_graph(seed); }});
  return all;
}

class FreeOfCharge : public CostModel {
 public:
  Cost cost(const Graph& /*graph*/, NodeId /*node*/, int /*parts*/) const override { return {}; }
};

/// Every node takes the same time; parts share it evenly, and each takes a tenth more.
class EqualCosts : public CostModel {
 public:
  explicit EqualCosts(double time_us, double bandwidth_share = 0)
      : time_us_(time_us), bandwidth_share_(bandwidth_share) {}
  Cost cost(const Graph& graph, NodeId node, int parts) const override {
    if (is_view(graph.node(node))) return {};
    return {time_us_ / parts * (parts > 1 ? 1.1 : 1), 0, bandwidth_share_};
  }

 private:
  double time_us_;
  double bandwidth_share_;
};

/// Times from 1 to 100 and shares that a seed decides; a part costs its share and a little more.
class RandomCosts : public CostModel {
 public:
  explicit RandomCosts(std::uint64_t seed) : seed_(seed) {}
  Cost cost(const Graph& graph, NodeId node, int parts) const override {
    if (is_view(graph.node(node))) return {};
    std::mt19937_64 engine(seed_ * 1'000'003 + static_cast<std::uint64_t>(node.index));
    const auto draw = [&] { return static_cast<double>(engine() % 100) / 100; };
    Cost cost;
    const double overhead = 1 + 4 * draw();
    cost.time_us = 1 + 99 * draw() / parts + (parts > 1 ? overhead : 0);
    cost.compute_share = 0.25 * draw();
    cost.bandwidth_share = 0.5 * draw();
    return cost;
  }

 private:
  std::uint64_t seed_;
};

}  // namespace braid
