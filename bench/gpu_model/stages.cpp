#include "stages.h"

#include <algorithm>
#include <map>

#include "graph/order.h"
#include "ops/call.h"
#include "sim/ensemble.h"

namespace braid::gpu_model {
namespace {

constexpr std::size_t kMostGroups = 10;

bool is_depthwise(const Graph& graph, const Node& node) {
  return node.op == "Conv" && graph.value(node.inputs[1]).type.dims[1] == 1;
}

/// The producer that this node belongs to, if that has no other consumer.
NodeId leader(const Graph& graph, const Node& node) {
  if (node.op != "Conv") return {};
  const Value& input = graph.value(node.inputs[0]);
  if (!input.producer.valid() || input.consumers.size() != 1) return {};
  const Node& before = graph.node(input.producer);
  const bool joins = is_depthwise(graph, node) ? before.op == "Relu" : is_depthwise(graph, before);
  return joins ? input.producer : NodeId();
}

}  // namespace

sim::KernelOptions ios_library() {
  sim::KernelOptions options;
  options.library = sim::ConvLibrary::CuDnn7;
  return options;
}

std::vector<sim::Launch> launches_of(const std::vector<Stage>& stages) {
  std::vector<sim::Launch> launches;
  std::size_t groups_before = 1;
  for (const Stage& stage : stages) {
    bool sync = stage.size() > 1 || groups_before > 1;
    for (std::size_t stream = 0; stream < stage.size(); ++stream)
      for (const Unit& unit : stage[stream])
        for (const sim::Kernel& kernel : unit.kernels) {
          sim::Launch launch;
          launch.kernel = kernel;
          launch.stream = static_cast<int>(stream);
          launch.device_sync = std::exchange(sync, false) && !launches.empty();
          launches.push_back(std::move(launch));
        }
    groups_before = stage.size();
  }
  return launches;
}

SimulatedTime time_of(const sim::GpuSpec& gpu, const std::vector<Stage>& stages) {
  sim::EngineOptions options;
  options.mode = sim::LaunchMode::Streams;
  options.final_sync = true;
  return sim::simulate_all(gpu, launches_of(stages), options);
}

Units units_of(const sim::GpuSpec& gpu, const Graph& graph) {
  Units result;
  std::map<NodeId, std::size_t> unit_of;
  for (NodeId id : topological_order(graph)) {
    const Node& node = graph.node(id);
    const NodeId joined = leader(graph, node);
    std::size_t unit = result.units.size();
    if (joined.valid()) {
      unit = unit_of.at(joined);
    } else {
      result.units.emplace_back();
      result.levels.push_back(0);
    }
    unit_of[id] = unit;
    for (sim::Kernel& kernel : sim::kernels_of(gpu, graph, id, ios_library()))
      result.units[unit].kernels.push_back(std::move(kernel));
    for (ValueId input : node.inputs) {
      if (!input.valid() || !graph.value(input).producer.valid()) continue;
      const std::size_t before = unit_of.at(graph.value(input).producer);
      if (before == unit) continue;
      const std::size_t step = result.units[before].kernels.empty() ? 0 : 1;
      result.levels[unit] = std::max(result.levels[unit], result.levels[before] + step);
    }
  }
  return result;
}

std::vector<Stage> sequential(const Units& units) {
  std::vector<Stage> stages;
  for (const Unit& unit : units.units)
    if (!unit.kernels.empty()) stages.push_back({{unit}});
  return stages;
}

std::vector<Stage> greedy(const Units& units) {
  std::map<std::size_t, std::vector<const Unit*>> by_level;
  for (std::size_t i = 0; i < units.units.size(); ++i)
    if (!units.units[i].kernels.empty()) by_level[units.levels[i]].push_back(&units.units[i]);
  std::vector<Stage> stages;
  for (const auto& [level, row] : by_level)
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i % kMostGroups == 0) stages.emplace_back();
      stages.back().push_back({*row[i]});
    }
  return stages;
}

}  // namespace braid::gpu_model
