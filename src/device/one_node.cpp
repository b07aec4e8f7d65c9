#include "device/one_node.h"

#include <map>

#include "base/error.h"
#include "cost/signature.h"
#include "graph/hash.h"
#include "plan/memory.h"
#include "plan/verify.h"
#include "tensor/element.h"
#include "tensor/random_tensor.h"

namespace braid {
OneNode one_node(const Graph& lowered, NodeId id) {
  OneNode result;
  Graph& graph = result.graph;
  const Node& source = lowered.node(id);
  Node node;
  node.name = kOneNodeName;
  node.op = source.op;
  node.attributes = source.attributes;
  std::map<ValueId, ValueId> copies;
  for (const ValueId input : source.inputs) {
    if (!input.valid()) {
      node.inputs.emplace_back();
      continue;
    }
    const auto [at, is_new] = copies.try_emplace(input);
    if (is_new) {
      const Value& value = lowered.value(input);
      at->second = lowered.is_constant(input) ? graph.add_constant("constant", value.constant)
                                              : graph.add_input("input", value.type);
      graph.set_layout(at->second, value.layout);
    }
    node.inputs.push_back(at->second);
  }
  std::vector<TensorType> types;
  for (const ValueId output : source.outputs) {
    node.outputs.push_back(output);
    types.push_back(output.valid() ? lowered.value(output).type : TensorType{});
  }
  result.node = graph.add_node(std::move(node), types);
  graph.set_lowering(result.node, source.lowering);
  const std::vector<ValueId>& outputs = graph.node(result.node).outputs;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i].valid()) graph.set_layout(outputs[i], lowered.value(source.outputs[i]).layout);
  return result;
}

Plan plan_of_parts(const OneNode& one, const DeviceSpec& device, int parts) {
  Plan plan;
  plan.graph = hash(one.graph, HashWeights::TypesOnly);
  plan.device = device.name;
  plan.scheduler = "one node";
  plan.streams.resize(static_cast<std::size_t>(parts));
  const std::optional<Cut> cut = cut_into(one.graph, one.node, parts);
  require(parts == 1 || cut.has_value(), "the node has no cut into so many parts");
  for (int part = 0; part < parts; ++part) {
    Step step;
    step.node = one.node;
    step.part = part;
    step.parts = parts;
    if (cut) step.cut = *cut;
    plan.streams[static_cast<std::size_t>(part)].push_back(std::move(step));
  }
  place(one.graph, plan);
  verify(one.graph, plan);
  return plan;
}

std::vector<Tensor> random_inputs(const Graph& graph) {
  std::vector<Tensor> inputs;
  for (const ValueId id : graph.inputs()) {
    const TensorType& type = graph.value(id).type;
    const NumberRange range = {is_float_type(type.element) ? -1.0 : 0.0, 1};
    inputs.push_back(random_tensor(type, range, inputs.size()));
  }
  return inputs;
}

}  // namespace braid
