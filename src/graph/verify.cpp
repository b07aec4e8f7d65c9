#include "graph/verify.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "graph/order.h"

namespace braid {
namespace {

void check(bool holds, const Graph& graph, ValueId value, const char* what) {
  if (!holds)
    raise(ErrorKind::Internal, fmt::format("value {} {}", quote(graph.value(value).name), what));
}

void check(bool holds, const Graph& graph, NodeId node, const char* what) {
  if (!holds) raise(ErrorKind::Internal, fmt::format("node {} {}", describe(graph, node), what));
}

void verify_node(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  check(!node.op.empty(), graph, id, "has no operator");
  for (ValueId input : node.inputs)
    check(!input.valid() || graph.alive(input), graph, id, "reads a removed value");
  for (ValueId output : node.outputs)
    if (output.valid()) {
      check(graph.alive(output), graph, id, "writes a removed value");
      check(graph.value(output).producer == id, graph, output, "does not know its producer");
    }
}

void verify_value(const Graph& graph, ValueId id) {
  const Value& value = graph.value(id);
  check(!value.name.empty() && graph.find(value.name) == id, graph, id, "does not own its name");
  check(
      !value.constant.defined() || (value.constant.type() == value.type && !value.producer.valid()),
      graph, id, "is a constant of another type, or one with a producer");
  if (value.producer.valid()) {
    check(graph.alive(value.producer), graph, id, "has a removed producer");
    const auto& outputs = graph.node(value.producer).outputs;
    check(std::count(outputs.begin(), outputs.end(), id) == 1, graph, id,
          "is not an output of its producer");
  }
}

/// Uses counted from the nodes' side must equal the consumers listed on the values' side.
void verify_consumers(const Graph& graph) {
  std::vector<std::size_t> uses(graph.value_limit(), 0);
  for (NodeId id : graph.node_ids())
    for (ValueId input : graph.node(id).inputs)
      if (input.valid()) ++uses[input.at()];
  for (ValueId id : graph.value_ids()) {
    const Value& value = graph.value(id);
    check(value.consumers.size() == uses[id.at()], graph, id, "does not list its consumers");
    for (NodeId consumer : value.consumers) {
      check(graph.alive(consumer), graph, id, "has a removed consumer");
      const auto& inputs = graph.node(consumer).inputs;
      check(std::find(inputs.begin(), inputs.end(), id) != inputs.end(), graph, id,
            "lists a node that does not read it");
    }
  }
}

}  // namespace

void verify(const Graph& graph) {
  for (NodeId id : graph.node_ids()) verify_node(graph, id);
  std::vector<bool> listed(graph.value_limit(), false);
  for (ValueId id : graph.inputs()) {
    require(graph.alive(id), "a graph input was removed");
    listed[id.at()] = true;
  }
  for (ValueId id : graph.value_ids()) {
    verify_value(graph, id);
    check(listed[id.at()] == graph.is_input(id), graph, id,
          "is neither an input, a constant nor an output of a node");
  }
  verify_consumers(graph);
  for (const GraphOutput& output : graph.outputs())
    require(graph.alive(output.value), "a graph output was removed");
  topological_order(graph);
}

}  // namespace braid
