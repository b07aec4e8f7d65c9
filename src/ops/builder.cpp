#include "ops/builder.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "graph/order.h"
#include "graph/text.h"
#include "ops/catalog.h"

namespace braid {
namespace {

/// Values with more elements than this decide no shapes; they are not followed.
constexpr std::int64_t kLargestFollowed = 4096;

const Tensor* followed(const Graph& graph, const KnownValues& known, ValueId id) {
  if (graph.is_constant(id)) return &graph.value(id).constant;
  const auto found = known.find(id);
  return found == known.end() ? nullptr : &found->second;
}

/// Whether a node reads elements: Shape and Size need the type alone.
bool needs_elements(const Node& node) { return node.op != "Shape" && node.op != "Size"; }

void follow_node(const Graph& graph, NodeId id, KnownValues& known) {
  const Node& node = graph.node(id);
  for (ValueId output : node.outputs)
    if (output.valid() && element_count(graph.value(output).type) > kLargestFollowed) return;
  std::vector<Tensor> inputs;
  for (ValueId input : node.inputs) {
    if (!input.valid()) {
      inputs.emplace_back();
      continue;
    }
    const TensorType& type = graph.value(input).type;
    const Tensor* tensor = followed(graph, known, input);
    if (needs_elements(node)) {
      if (tensor == nullptr || element_count(type) > kLargestFollowed) return;
      inputs.push_back(*tensor);
    } else {
      inputs.push_back(Tensor::borrow(type, nullptr, nullptr));
    }
  }
  const std::vector<Tensor> results = evaluate(node, inputs);
  for (std::size_t i = 0; i < node.outputs.size(); ++i)
    if (node.outputs[i].valid()) known[node.outputs[i]] = results.at(i);
}

}  // namespace

std::vector<std::string> deciding_inputs(const Graph& graph, ValueId value) {
  std::vector<bool> seen(graph.value_limit(), false);
  std::vector<ValueId> open = {value};
  while (!open.empty()) {
    const ValueId at = open.back();
    open.pop_back();
    if (!at.valid() || seen[at.at()]) continue;
    seen[at.at()] = true;
    if (const NodeId producer = graph.value(at).producer;
        producer.valid() && needs_elements(graph.node(producer)))
      for (ValueId input : graph.node(producer).inputs) open.push_back(input);
  }
  std::vector<std::string> names;
  for (ValueId id : graph.inputs())
    if (seen[id.at()]) names.push_back(graph.value(id).name);
  return names;
}

std::vector<TensorType> Builder::infer_types(const OpDef& def, OpCall call,
                                             const Node& node) const {
  try {
    return infer(def, std::move(call));
  } catch (ValueNeeded& needed) {
    needed.set_graph_inputs(deciding_inputs(graph_, node.inputs.at(needed.input())));
    throw;
  }
}

NodeId Builder::add_node(Node node, const std::vector<std::string>& output_names) {
  const auto where = [&] {
    std::string label = node.name;
    if (label.empty() && !output_names.empty()) label = output_names[0];
    return fmt::format("while inferring shapes of {} ({})", quote(label), printable(node.op));
  };
  return with_note(where, [&] {
    const OpDef& def = op_def(node.op);
    const std::size_t wanted = std::max<std::size_t>(output_names.size(), 1);
    OpCall call = call_of(graph_, node, &known_);
    call.output_count = wanted;
    std::vector<TensorType> types = infer_types(def, std::move(call), node);
    if (types.size() < wanted)
      raise(ErrorKind::Model, fmt::format("{} has {} outputs here, {} were asked for", node.op,
                                          types.size(), wanted));
    types.resize(wanted);
    node.outputs.assign(wanted, ValueId(0));
    for (std::size_t i = 0; i < output_names.size() && wanted > 1; ++i)
      if (output_names[i].empty()) node.outputs[i] = ValueId();
    const NodeId id = graph_.add_node(std::move(node), types, output_names);
    follow(id);
    return id;
  });
}

ValueId Builder::add(std::string_view op, std::vector<ValueId> inputs, Attributes attributes,
                     std::string name) {
  Node node;
  node.op = op;
  node.name = name;
  node.inputs = std::move(inputs);
  node.attributes = std::move(attributes);
  return graph_.node(add_node(std::move(node), {std::move(name)})).outputs[0];
}

ValueId Builder::integers(const std::string& name, std::vector<std::int64_t> list) {
  const Dims dims = {static_cast<std::int64_t>(list.size())};
  return constant(name, Tensor::of<std::int64_t>(dims, std::span<const std::int64_t>(list)));
}

void Builder::follow(NodeId id) { follow_node(graph_, id, known_); }

KnownValues known_values(const Graph& graph) {
  KnownValues known;
  for (NodeId id : topological_order(graph)) follow_node(graph, id, known);
  return known;
}

Graph parse(std::string_view text) {
  // The parser adds each node right after asking for its types; what is known of earlier nodes is
  // brought up to date then.
  KnownValues known;
  std::size_t followed_nodes = 0;
  return parse_graph(text, [&](const Graph& graph, const Node& node) {
    for (; followed_nodes < graph.node_limit(); ++followed_nodes)
      follow_node(graph, NodeId(static_cast<std::int64_t>(followed_nodes)), known);
    return infer(op_def(node.op), call_of(graph, node, &known));
  });
}

}  // namespace braid
