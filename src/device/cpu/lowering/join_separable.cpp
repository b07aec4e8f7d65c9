#include "device/cpu/lowering/join_separable.h"

#include "device/cpu/kernels/panel_product.h"
#include "device/cpu/kernels/ways.h"
#include "device/cpu/lowering/ways_alone.h"
#include "device/cpu/machine/caches.h"
#include "ops/call.h"
#include "ops/conv.h"
#include "ops/conv_parts_cpu.h"
#include "ops/separable_conv.h"

namespace braid::cpu {
namespace {

bool is_conv_by(const Node& node, std::string_view implementation) {
  return node.op == "Conv" && node.lowering.implementation == implementation;
}

bool is_first_way(const Graph& graph, const Node& node) {
  return prepare(kernel_call_of(graph, node)).implementation == node.lowering.implementation;
}

ValueId input_at(const Node& node, std::size_t i) {
  return i < node.inputs.size() ? node.inputs[i] : ValueId{};
}

/// The depthwise convolution that only that 1x1 convolution reads; invalid if there is none.
NodeId depthwise_before(const Graph& graph, const Node& pointwise) {
  if (!is_conv_by(pointwise, kPanels)) return {};
  const ValueId id = pointwise.inputs[0];
  const Value& between = graph.value(id);
  if (!between.producer.valid() || between.consumers.size() != 1 || graph.is_output(id)) return {};
  const Node& depthwise = graph.node(between.producer);
  const bool suits = is_conv_by(depthwise, kDepthwise) &&
                     !input_at(depthwise, Epilogue::kResidualInput).valid() &&
                     2 * byte_size(between.type) > second_level_bytes() &&
                     is_pointwise(conv_geometry(call_of(graph, pointwise)).window) &&
                     is_first_way(graph, depthwise) && is_first_way(graph, pointwise);
  return suits ? between.producer : NodeId{};
}

/// A node that does what both do, with the second one's output.
Node pair_of(const Node& depthwise, const Node& pointwise) {
  Node pair;
  pair.op = "SeparableConv";
  pair.name = pointwise.name;
  pair.attributes = separable_attributes(depthwise.attributes, pointwise.attributes);
  pair.inputs = {depthwise.inputs[0],
                 depthwise.inputs[1],
                 pointwise.inputs[1],
                 input_at(depthwise, Epilogue::kBiasInput),
                 input_at(pointwise, Epilogue::kBiasInput),
                 input_at(pointwise, Epilogue::kResidualInput)};
  while (!pair.inputs.back().valid()) pair.inputs.pop_back();
  pair.outputs = pointwise.outputs;
  return pair;
}

/// The way that runs the pair in one pass, if it is chosen.
std::optional<Way> chosen_pass(const Graph& graph, const Node& pair, const ChooseWay& choose) {
  const KernelCall call = kernel_call_of(graph, pair);
  std::vector<Way> ways = alternatives(call, false);
  const Graph first = ways_alone(call, {ways.data(), 1});
  const auto all = [&] { return ways_alone(call, ways); };
  const std::vector<std::string> chosen = choose({graph.value(pair.outputs[0]).name, first, all});
  if (chosen.empty() || chosen.front() != kSeparable) return std::nullopt;
  for (Way& way : ways)
    if (way.implementation == kSeparable) return std::move(way);
  return std::nullopt;
}

void replace_by_pair(Graph& graph, NodeId pointwise, Node pair) {
  const ValueId output = graph.node(pointwise).outputs[0];
  const Value old = graph.value(output);
  pair.outputs = {};
  GraphEdit edit("join-separable");
  edit.replace(output, edit.add_node(std::move(pair), {old.type})[0]);
  graph.apply(edit);
  graph.set_layout(graph.find(old.name), old.layout);
}

}  // namespace

void join_separable(Graph& lowered, const ChooseWay& choose) {
  for (const NodeId id : lowered.nodes_in_order()) {
    if (!lowered.alive(id)) continue;
    const NodeId depthwise = depthwise_before(lowered, lowered.node(id));
    if (!depthwise.valid()) continue;
    Node pair = pair_of(lowered.node(depthwise), lowered.node(id));
    const std::optional<Way> way = chosen_pass(lowered, pair, choose);
    if (!way) continue;
    pair.lowering = {way->implementation, way->scratch_bytes, way->cuts};
    replace_by_pair(lowered, id, std::move(pair));
  }
}

}  // namespace braid::cpu
