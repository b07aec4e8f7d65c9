#include "optimise/segment.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <unordered_map>

#include "graph/hash.h"
#include "graph/order.h"

namespace braid {
namespace {

/// Cuts nodes out of a graph.
class Cutter {
 public:
  Cutter(const Graph& graph, const NodePlaces& places, std::span<const NodeId> nodes)
      : graph_(graph),
        places_(places),
        nodes_(nodes.begin(), nodes.end()),
        outside_(graph.node_limit(), true) {
    std::ranges::sort(nodes_, {}, [&](NodeId id) { return std::pair(places.position(id), id); });
    for (const NodeId id : nodes_) outside_[id.at()] = false;
  }

  Segment run() {
    segment_.graph.name = graph_.name;
    segment_.graph.opset = graph_.opset;
    const std::vector<ValueId> outputs = ordered_outputs();
    std::vector<bool> done = outside_;
    const auto add = [&](NodeId id) { add_node(id); };
    for (const ValueId output : outputs)
      visit_needed(graph_, graph_.value(output).producer, done, add);
    for (const NodeId id : nodes_) visit_needed(graph_, id, done, add);
    for (const ValueId output : outputs) segment_.graph.add_output(value_.at(output));
    return std::move(segment_);
  }

 private:
  bool is_outside(NodeId id) const { return outside_[id.at()]; }

  bool leaves(ValueId value) const {
    return graph_.is_output(value) ||
           std::ranges::any_of(graph_.value(value).consumers,
                               [&](NodeId reader) { return is_outside(reader); });
  }

  /// What leaves the piece, ordered by what it is made of and then by where it stands.
  std::vector<ValueId> ordered_outputs() const {
    std::unordered_map<ValueId, Hash128> made_of;
    std::vector<std::tuple<Hash128, std::size_t, ValueId>> found;
    for (const NodeId id : nodes_) {
      const Hash128 node = content(graph_.node(id), made_of);
      std::int64_t index = 0;
      for (const ValueId output : graph_.node(id).outputs) {
        if (output.valid()) {
          made_of[output] = {node.high, node.low + static_cast<std::uint64_t>(index)};
          if (leaves(output)) found.emplace_back(made_of[output], found.size(), output);
        }
        ++index;
      }
    }
    std::ranges::sort(found);
    std::vector<ValueId> outputs;
    for (const auto& [content, place, output] : found) outputs.push_back(output);
    return outputs;
  }

  Hash128 content(const Node& node, const std::unordered_map<ValueId, Hash128>& made_of) const {
    Hasher hasher;
    hasher.add(std::string_view(node.op));
    add_to_hash(hasher, node.attributes);
    for (const ValueId input : node.inputs) {
      hasher.add(input.valid());
      if (!input.valid()) continue;
      const auto known = made_of.find(input);
      if (known != made_of.end()) {
        hasher.add(known->second);
      } else {
        const TensorType& type = graph_.value(input).type;
        hasher.add(graph_.is_constant(input));
        hasher.add(type.element);
        for (const std::int64_t d : type.dims) hasher.add(d);
      }
    }
    return hasher.finish();
  }

  void add_node(NodeId id) {
    Node node = graph_.node(id);
    for (ValueId& input : node.inputs)
      if (input.valid()) input = value_of(input);
    std::vector<TensorType> types;
    std::vector<std::string> names;
    for (const ValueId output : node.outputs) {
      types.push_back(output.valid() ? graph_.value(output).type : TensorType{});
      names.push_back(output.valid() ? graph_.value(output).name : std::string());
    }
    const NodeId made = segment_.graph.add_node(std::move(node), types, names);
    segment_.nodes.push_back(id);
    for (std::size_t i = 0; i < types.size(); ++i) {
      const ValueId output = graph_.node(id).outputs[i];
      if (output.valid()) remember(output, segment_.graph.node(made).outputs[i]);
    }
  }

  ValueId value_of(ValueId id) {
    const auto known = value_.find(id);
    if (known != value_.end()) return known->second;
    const Value& value = graph_.value(id);
    if (graph_.is_constant(id))
      return remember(id, segment_.graph.add_constant(value.name, value.constant));
    const ValueId input = segment_.graph.add_input(value.name, value.type);
    segment_.graph.set_level(input, places_.level(id));
    return remember(id, input);
  }

  ValueId remember(ValueId id, ValueId here) {
    value_.emplace(id, here);
    if (!graph_.value(id).layout.empty()) segment_.graph.set_layout(here, graph_.value(id).layout);
    return here;
  }

  const Graph& graph_;
  const NodePlaces& places_;
  std::vector<NodeId> nodes_;  // in the graph's order
  std::vector<bool> outside_;
  std::unordered_map<ValueId, ValueId> value_;  // of the graph: which it is in the segment
  Segment segment_;
};

/// The longest path over nodes that are not the segment's.
double bypass_us(const Graph& graph, const RunningCosts& costs, const std::vector<bool>& inside) {
  std::vector<double> ends(graph.node_limit(), 0);
  double longest = 0;
  for (const NodeId id : graph.nodes_in_order()) {
    if (inside[id.at()]) continue;
    double begin = 0;
    for (const ValueId input : graph.node(id).inputs) {
      const NodeId producer = input.valid() ? graph.value(input).producer : NodeId();
      if (producer.valid()) begin = std::max(begin, ends[producer.at()]);
    }
    ends[id.at()] = begin + costs.time_us(id);
    longest = std::max(longest, ends[id.at()]);
  }
  return longest;
}

/// Takes the smallest off all; returns it.
double level_off(std::vector<double>& times) {
  if (times.empty()) return 0;
  const double least = *std::ranges::min_element(times);
  for (double& time : times) time -= least;
  return least;
}

double at_or_0(const std::vector<double>& times, std::size_t i) {
  return i < times.size() ? times[i] : 0;
}

}  // namespace

Segment cut_out(const Graph& graph, const NodePlaces& places, std::span<const NodeId> nodes) {
  return Cutter(graph, places, nodes).run();
}

Surroundings surroundings_of(const Segment& segment, const Graph& graph,
                             const RunningCosts& costs) {
  std::vector<bool> inside(graph.node_limit(), false);
  for (const NodeId id : segment.nodes) inside[id.at()] = true;
  Surroundings around;
  for (const ValueId input : segment.graph.inputs())
    around.arrivals_us.push_back(
        costs.arrival_us(graph, graph.find(segment.graph.value(input).name)));
  for (const GraphOutput& output : segment.graph.outputs()) {
    double tail = 0;
    for (const NodeId reader : graph.value(graph.find(output.name)).consumers)
      if (!inside[reader.at()])
        tail = std::max(tail, costs.time_us(reader) + costs.tail_us(reader));
    around.tails_us.push_back(tail);
  }
  const double common = level_off(around.arrivals_us) + level_off(around.tails_us);
  around.bypass_us = std::max(0.0, bypass_us(graph, costs, inside) - common);
  return around;
}

double mixed_cost_us(const Graph& segment, const NodeTime& time_of, const Surroundings& around,
                     double alpha) {
  std::vector<double> ready(segment.value_limit(), 0);
  for (std::size_t i = 0; i < segment.inputs().size(); ++i)
    ready[segment.inputs()[i].at()] = at_or_0(around.arrivals_us, i);
  double sum = 0;
  double longest = around.bypass_us;
  for (const NodeId id : segment.nodes_in_order()) {
    double end = 0;
    for (const ValueId input : segment.node(id).inputs)
      if (input.valid()) end = std::max(end, ready[input.at()]);
    const double time = time_of(segment, id);
    sum += time;
    end += time;
    longest = std::max(longest, end);
    for (const ValueId output : segment.node(id).outputs)
      if (output.valid()) ready[output.at()] = end;
  }
  for (std::size_t i = 0; i < segment.outputs().size(); ++i)
    longest =
        std::max(longest, ready[segment.outputs()[i].value.at()] + at_or_0(around.tails_us, i));
  return alpha * longest + sum;
}

}  // namespace braid
