#include "stages.h"

#include <algorithm>
#include <map>

#include "graph/order.h"
#include "ops/call.h"

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
    for (sim::Kernel& kernel : sim::kernels_of(gpu, graph, id, sim::ios_library()))
      result.units[unit].push_back(std::move(kernel));
    for (ValueId input : node.inputs) {
      if (!input.valid() || !graph.value(input).producer.valid()) continue;
      const std::size_t before = unit_of.at(graph.value(input).producer);
      if (before == unit) continue;
      const std::size_t step = result.units[before].empty() ? 0 : 1;
      result.levels[unit] = std::max(result.levels[unit], result.levels[before] + step);
    }
  }
  return result;
}

std::vector<sim::IosStage> sequential(const Units& units) {
  std::vector<sim::IosStage> stages;
  for (const sim::IosUnit& unit : units.units)
    if (!unit.empty()) stages.push_back({{unit}});
  return stages;
}

std::vector<sim::IosStage> greedy(const Units& units) {
  std::map<std::size_t, std::vector<const sim::IosUnit*>> by_level;
  for (std::size_t i = 0; i < units.units.size(); ++i)
    if (!units.units[i].empty()) by_level[units.levels[i]].push_back(&units.units[i]);
  std::vector<sim::IosStage> stages;
  for (const auto& [level, row] : by_level)
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i % kMostGroups == 0) stages.emplace_back();
      stages.back().push_back({*row[i]});
    }
  return stages;
}

}  // namespace braid::gpu_model
