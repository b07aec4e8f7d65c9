// How the time to load and inspect a model grows with its nodes. Prints JSON:
//
//     ./run bench-tool inspect
//
// Linear means that microseconds per node stay put from row to row.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>

#include <nlohmann/json.hpp>

#include "onnx/load.h"
#include "onnx/save.h"
#include "ops/builder.h"
#include "report/summary.h"

namespace {

using namespace braid;

/// x → relu → relu → …
Graph chain(int nodes) {
  Graph graph;
  Builder builder(graph);
  ValueId at = graph.add_input("x", {ElementType::F32, {4}});
  for (int i = 0; i < nodes; ++i) at = builder.add("Relu", {at});
  graph.add_output(at);
  return graph;
}

/// One value read by all nodes.
Graph fan(int nodes) {
  Graph graph;
  Builder builder(graph);
  const ValueId x = graph.add_input("x", {ElementType::F32, {4}});
  for (int i = 0; i < nodes; ++i) graph.add_output(builder.add("Relu", {x}));
  return graph;
}

/// Diamonds in a row: two to the power of nodes / 3 paths.
Graph ladder(int nodes) {
  Graph graph;
  Builder builder(graph);
  ValueId at = graph.add_input("x", {ElementType::F32, {4}});
  for (int i = 0; i + 2 < nodes; i += 3)
    at = builder.add("Add", {builder.add("Relu", {at}), builder.add("Neg", {at})});
  graph.add_output(at);
  return graph;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main() {
  const auto file = std::filesystem::temp_directory_path() / "braid_inspect_scaling.onnx";
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  const std::pair<const char*, std::function<Graph(int)>> shapes[] = {
      {"chain", chain}, {"fan", fan}, {"ladder", ladder}};
  for (const auto& [shape, build] : shapes)
    for (int nodes = 12500; nodes <= 100000; nodes *= 2) {
      onnx::save(build(nodes), file, {});
      const auto start = std::chrono::steady_clock::now();
      const Graph graph = onnx::load(file, {});
      const double load = seconds_since(start);
      const GraphSummary summary = summarise(graph);
      const double all = seconds_since(start);
      rows.push_back({{"graph", shape},
                      {"nodes", summary.nodes},
                      {"width", summary.width},
                      {"load_s", load},
                      {"inspect_s", all},
                      {"us_per_node", all * 1e6 / static_cast<double>(summary.nodes)}});
    }
  std::filesystem::remove(file);
  std::printf(
      "%s\n",
      nlohmann::ordered_json{{"benchmark", "inspect_scaling"}, {"results", rows}}.dump(2).c_str());
}
