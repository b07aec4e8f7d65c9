// How the time to place, verify and store a Plan grows with its steps. Prints JSON:
//
//     ./run bench-tool plan
//
// Linear means that microseconds per step stay put from row to row of one shape.
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "graph/hash.h"
#include "graph/order.h"
#include "plan/accesses.h"
#include "plan/happens_before.h"
#include "plan/json.h"
#include "plan/memory.h"
#include "plan/verify.h"

namespace {

using namespace braid;

struct Shape {
  const char* name;
  int branches;  ///< chains of three between two joins
  int streams;
  bool joins_in_place;  ///< by views into one strided buffer
};

/// Cells in a row: branches from one value, joined again.
Graph cells(const Shape& shape, int nodes) {
  const TensorType type{ElementType::F32, {4, 64}};
  Graph graph;
  const auto add = [&](const char* op, std::vector<ValueId> inputs, const TensorType& to) {
    Node node;
    node.op = op;
    node.inputs = std::move(inputs);
    if (node.op == "Concat") {
      node.attributes.set("axis", std::int64_t{1});
      node.lowering.implementation = kViewImplementation;
    }
    return graph.node(graph.add_node(std::move(node), {to})).outputs[0];
  };
  ValueId top = graph.add_input("x", type);
  while (graph.node_count() < static_cast<std::size_t>(nodes)) {
    std::vector<ValueId> ends(static_cast<std::size_t>(shape.branches), top);
    for (ValueId& end : ends)
      for (int i = 0; i < 3; ++i) end = add("Relu", {end}, type);
    if (shape.joins_in_place)
      ends = {add("Concat", ends, {ElementType::F32, {4, 64 * shape.branches}})};
    top = add("Mix", ends, type);
  }
  graph.add_output(top);
  return graph;
}

/// Three steps to a stream in turn, waiting for the steps that wrote their inputs.
Plan spread(const Graph& graph, int streams) {
  Plan plan;
  plan.graph = hash(graph, HashWeights::TypesOnly);
  plan.streams.resize(static_cast<std::size_t>(streams));
  int turn = 0;
  for (NodeId id : topological_order(graph)) {
    auto& stream = plan.streams[static_cast<std::size_t>(turn++ / 3 % streams)];
    stream.emplace_back();
    stream.back().node = id;
  }
  const Accesses accesses(graph, plan);
  for (auto& stream : plan.streams)
    for (Step& step : stream)
      for (ValueId input : graph.node(step.node).inputs)
        for (StepRef writer : accesses.writers(input)) step.waits.push_back(writer);
  return plan;
}

template <class F>
double milliseconds(F&& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

nlohmann::ordered_json row(const Shape& shape, int nodes) {
  const Graph graph = cells(shape, nodes);
  Plan plan = spread(graph, shape.streams);
  std::string text;
  nlohmann::ordered_json result = {
      {"shape", shape.name}, {"steps", graph.node_count()}, {"streams", shape.streams}};
  result["reduce_ms"] = milliseconds([&] { reduce_waits(graph, plan); });
  result["place_ms"] = milliseconds([&] { place(graph, plan); });
  result["verify_ms"] = milliseconds([&] { verify(graph, plan); });
  result["write_ms"] = milliseconds([&] { text = to_json(graph, plan); });
  result["read_ms"] = milliseconds([&] { plan_from_json(graph, text); });
  result["arena_bytes"] = plan.arena_bytes;
  return result;
}

}  // namespace

int main() {
  const Shape shapes[] = {{"chain", 1, 1, false},
                          {"cells on one stream", 4, 1, false},
                          {"cells on four streams", 4, 4, false},
                          {"cells on 16 streams", 16, 16, false},
                          {"cells joined in place", 4, 4, true},
                          {"10,000 branches", 10'000, 2, false}};
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Shape& shape : shapes)
    for (int nodes : {1'000, 5'000, 20'000, 100'000}) rows.push_back(row(shape, nodes));
  std::printf("%s\n", rows.dump(1).c_str());
}
