#include "stages.h"

#include <algorithm>
#include <array>
#include <map>

#include "graph/order.h"
#include "ops/call.h"
#include "schedule/stage_blocks.h"

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

/// What IOS's networks have not: the classifier behind the last pool, and the shift by a pixel
/// where NASNet halves an image.
bool is_left_out(const Node& node) {
  constexpr std::array<std::string_view, 4> left_out = {"Gemm", "MatMul", "Pad", "Slice"};
  return std::ranges::find(left_out, node.op) != left_out.end();
}

void add_distinct(std::vector<std::int32_t>& list, std::int32_t unit) {
  if (std::ranges::find(list, unit) == list.end()) list.push_back(unit);
}

double solo_us(const sim::GpuSpec& gpu, const sim::IosUnit& unit) {
  double sum = 0;
  for (const sim::IosCall& call : unit) sum += sim::solo_us(gpu, call.kernels);
  return sum;
}

std::size_t index(std::int32_t unit) { return static_cast<std::size_t>(unit); }

}  // namespace

Units units_of(const sim::GpuSpec& gpu, const Graph& graph) {
  Units result;
  std::map<NodeId, std::vector<std::int32_t>>
      writers;  // the units whose results a node's output is
  for (NodeId id : topological_order(graph)) {
    const Node& node = graph.node(id);
    std::vector<std::int32_t> before;
    for (ValueId input : node.inputs)
      if (input.valid() && graph.value(input).producer.valid())
        for (std::int32_t unit : writers.at(graph.value(input).producer))
          add_distinct(before, unit);
    sim::IosUnit calls;
    if (!is_left_out(node)) calls = sim::ios_calls(gpu, graph, id);
    if (calls.empty()) {
      writers[id] = before;
      continue;
    }
    if (leader(graph, node).valid()) {
      auto& unit = result.units[index(before.front())];
      unit.insert(unit.end(), calls.begin(), calls.end());
      writers[id] = before;
      continue;
    }
    writers[id] = {static_cast<std::int32_t>(result.units.size())};
    result.units.push_back(std::move(calls));
    result.before.push_back(std::move(before));
  }
  return result;
}

std::vector<sim::IosStage> sequential(const Units& units) {
  std::vector<sim::IosStage> stages;
  for (const sim::IosUnit& unit : units.units) stages.push_back({{unit}});
  return stages;
}

std::vector<sim::IosStage> greedy(const Units& units) {
  std::vector<std::size_t> levels(units.units.size(), 0);
  std::map<std::size_t, std::vector<const sim::IosUnit*>> by_level;
  for (std::size_t i = 0; i < units.units.size(); ++i) {
    for (std::int32_t before : units.before[i])
      levels[i] = std::max(levels[i], levels[index(before)] + 1);
    by_level[levels[i]].push_back(&units.units[i]);
  }
  std::vector<sim::IosStage> stages;
  for (const auto& [level, row] : by_level)
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i % kMostGroups == 0) stages.emplace_back();
      stages.back().push_back({*row[i]});
    }
  return stages;
}

std::vector<sim::IosStage> searched(const sim::GpuSpec& gpu, const Units& units, int group_units,
                                    int groups) {
  TaskGraph tasks;
  tasks.before = units.before;
  tasks.after.resize(units.units.size());
  tasks.nodes.resize(units.units.size());
  for (std::size_t i = 0; i < units.before.size(); ++i)
    for (std::int32_t before : units.before[i])
      tasks.after[index(before)].push_back(static_cast<Task>(i));
  const auto stage_of = [&](const TaskStage& streams) {
    sim::IosStage stage;
    for (const std::vector<Task>& stream : streams) {
      stage.emplace_back();
      for (Task task : stream) stage.back().push_back(units.units[index(task)]);
    }
    return stage;
  };
  std::vector<Cost> costs(units.units.size());
  for (std::size_t i = 0; i < costs.size(); ++i) costs[i].time_us = solo_us(gpu, units.units[i]);
  StageOptions options;
  options.streams = static_cast<int>(kMostGroups);
  options.published = true;
  options.group_units = group_units;
  options.groups = groups;
  options.measure = [&](const TaskStage& streams) {
    return sim::ios_stage_us(gpu, stage_of(streams));
  };
  std::vector<sim::IosStage> stages;
  for (const TaskStage& streams : stages_of(tasks, costs, options))
    stages.push_back(stage_of(streams));
  return stages;
}

}  // namespace braid::gpu_model
