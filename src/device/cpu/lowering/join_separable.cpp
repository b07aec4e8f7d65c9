#include "device/cpu/lowering/join_separable.h"

#include <map>
#include <set>

#include "device/cpu/kernels/panel_way.h"
#include "device/cpu/kernels/ways.h"
#include "device/cpu/lowering/ways_alone.h"
#include "device/cpu/machine/machine.h"
#include "ops/call.h"
#include "ops/conv.h"
#include "ops/conv_parts_cpu.h"
#include "ops/separable_conv.h"

namespace braid::cpu {
namespace {

/// A value this many times as large as a second-level cache has left it, for the most part, before
/// it is read. Of a smaller one enough is still there in a run that the one pass does not win,
/// although it does alone, where no value is in a cache when it is measured.
constexpr std::int64_t kCachesBetween = 2;

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
                     byte_size(between.type) > kCachesBetween * machine().second_level_bytes &&
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

/// Nodes that take the place of the second of a pair, by its id, and the first ones, which go.
struct Pairs {
  std::map<NodeId, Node> joined;
  std::set<NodeId> gone;
};

Pairs chosen_pairs(const Graph& graph, const ChooseWay& choose) {
  Pairs pairs;
  for (const NodeId id : graph.nodes_in_order()) {
    const NodeId depthwise = depthwise_before(graph, graph.node(id));
    if (!depthwise.valid()) continue;
    Node pair = pair_of(graph.node(depthwise), graph.node(id));
    const std::optional<Way> way = chosen_pass(graph, pair, choose);
    if (!way) continue;
    pair.lowering = {way->implementation, way->scratch_bytes, way->cuts};
    pairs.joined.emplace(id, std::move(pair));
    pairs.gone.insert(depthwise);
  }
  return pairs;
}

/// The graph anew, its nodes in the order in which they were.
class Rebuilt {
 public:
  explicit Rebuilt(const Graph& from) : from_(from), values_(from.value_limit()) {
    to_.name = from.name;
    to_.opset = from.opset;
    for (const ValueId id : from.inputs())
      keep(id, to_.add_input(from.value(id).name, from.value(id).type));
  }

  void add(Node node) {
    const std::vector<ValueId> outputs = node.outputs;
    std::vector<TensorType> types;
    std::vector<std::string> names;
    for (const ValueId id : outputs) {
      types.push_back(id.valid() ? from_.value(id).type : TensorType{});
      names.push_back(id.valid() ? from_.value(id).name : "");
    }
    for (ValueId& input : node.inputs) input = mapped(input);
    const NodeId added = to_.add_node(std::move(node), types, names);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i].valid()) keep(outputs[i], to_.node(added).outputs[i]);
  }

  Graph finish() {
    for (const GraphOutput& output : from_.outputs())
      to_.add_output(mapped(output.value), output.name);
    return std::move(to_);
  }

 private:
  void keep(ValueId old, ValueId made) {
    to_.set_layout(made, from_.value(old).layout);
    values_[old.at()] = made;
  }

  ValueId mapped(ValueId id) {
    if (!id.valid()) return {};
    if (!values_[id.at()].valid())
      keep(id, to_.add_constant(from_.value(id).name, from_.value(id).constant));
    return values_[id.at()];
  }

  const Graph& from_;
  Graph to_;
  std::vector<ValueId> values_;
};

}  // namespace

Graph join_separable(Graph lowered, const ChooseWay& choose) {
  const Pairs pairs = chosen_pairs(lowered, choose);
  if (pairs.joined.empty()) return lowered;
  Rebuilt rebuilt(lowered);
  for (const NodeId id : lowered.nodes_in_order()) {
    if (pairs.gone.contains(id)) continue;
    const auto pair = pairs.joined.find(id);
    rebuilt.add(pair != pairs.joined.end() ? pair->second : lowered.node(id));
  }
  return rebuilt.finish();
}

}  // namespace braid::cpu
