#include "device/cpu/lowering/ways_alone.h"

#include <fmt/format.h>

#include "device/cpu/lowering/constant_order.h"

namespace braid::cpu {
namespace {

AxisOrder wanted_order(const std::vector<AxisOrder>& orders, std::size_t i) {
  return i < orders.size() ? orders[i] : AxisOrder{};
}

ValueId add_operand(Graph& graph, const OpCall& call, std::size_t i, const AxisOrder& order) {
  if (!call.has(i)) return {};
  const std::string name = fmt::format("in{}", i);
  const ValueId id = call.known[i] != nullptr
                         ? graph.add_constant(name, order.empty() ? *call.known[i]
                                                                  : in_order(*call.known[i], order))
                         : graph.add_input(name, call.input(i));
  graph.set_layout(id, layout_name(order));
  return id;
}

}  // namespace

Graph ways_alone(const KernelCall& call, std::span<const Way> ways) {
  Graph graph;
  Node node;
  node.op = call.op.op;
  node.attributes = *call.op.attributes;
  for (std::size_t i = 0; i < call.op.inputs.size(); ++i)
    node.inputs.push_back(
        add_operand(graph, call.op, i, wanted_order(ways.front().input_orders, i)));
  for (const Way& way : ways) {
    node.lowering = {way.implementation, way.scratch_bytes, way.cuts};
    const NodeId id =
        graph.add_node(node, call.op.outputs, {fmt::format("out_{}", way.implementation)});
    const AxisOrder order = wanted_order(way.output_orders, 0);
    graph.set_layout(graph.node(id).outputs[0], layout_name(order));
  }
  return graph;
}

}  // namespace braid::cpu
