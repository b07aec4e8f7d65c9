#include "rewrite/convolution.h"

#include <algorithm>

#include "graph/query.h"
#include "ops/call.h"
#include "ops/cast.h"
#include "ops/shared/epilogue.h"
#include "rewrite/canonical/host.h"

namespace braid {
namespace {

Tensor promised_zeros(const TensorType& type) {
  return Tensor::promised(type, [type] { return Tensor::zeros(type); });
}

void write_window(Attributes& attributes, const Window& window) {
  attributes.erase("auto_pad");
  attributes.set("kernel_shape", window.kernel);
  attributes.set("strides", window.strides);
  attributes.set("dilations", window.dilations);
  Dims pads = window.pads_begin;
  pads.insert(pads.end(), window.pads_end.begin(), window.pads_end.end());
  attributes.set("pads", std::move(pads));
}

}  // namespace

bool Convolution::is_pointwise() const {
  const auto all = [](const Dims& dims, std::int64_t x) {
    return std::ranges::all_of(dims, [&](std::int64_t d) { return d == x; });
  };
  const Window& window = geometry.window;
  return is_dense() && all(window.kernel, 1) && all(window.strides, 1) &&
         all(window.pads_begin, 0) && all(window.pads_end, 0);
}

Tensor Convolution::bias_or_zeros() const {
  return bias.defined() ? bias : promised_zeros({weights.element(), {geometry.out_channels}});
}

bool is_fixed_convolution(const Graph& graph, NodeId id) {
  if (!id.valid()) return false;
  const Node& node = graph.node(id);
  if (node.op != "Conv" || !graph.is_constant(node.inputs[1])) return false;
  const ValueId bias = input_of(node, Epilogue::kBiasInput);
  return !bias.valid() || graph.is_constant(bias);
}

std::int64_t groups_of(const Node& conv) { return conv.attributes.integer("group", 1); }

bool same_activation(const Node& a, const Node& b) {
  return std::ranges::all_of(kActivationAttributes, [&](std::string_view name) {
    const Attribute* of_a = a.attributes.find(name);
    const Attribute* of_b = b.attributes.find(name);
    return of_a == nullptr || of_b == nullptr ? of_a == of_b : *of_a == *of_b;
  });
}

bool is_along_channels(const Graph& graph, const Node& node) {
  return front_axis(node.attributes.integer("axis", 0),
                    graph.value(node.inputs[0]).type.dims.size()) == std::size_t{1};
}

std::optional<Convolution> convolution(const Graph& graph, NodeId id) {
  if (!is_fixed_convolution(graph, id)) return std::nullopt;
  const Node& node = graph.node(id);
  const Tensor* bias = constant_input(graph, node, Epilogue::kBiasInput);
  Convolution conv;
  conv.id = id;
  conv.geometry = conv_geometry(call_of(graph, node));
  conv.input = node.inputs[0];
  conv.weights = *constant_input(graph, node, 1);
  if (bias != nullptr) conv.bias = *bias;
  conv.residual = input_of(node, Epilogue::kResidualInput);
  conv.activated = has_activation(node);
  return conv;
}

std::string name_of(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  return node.name.empty() ? graph.value(node.outputs[0]).name : node.name;
}

ValueId add_convolution(EditBuilder& build, const Graph& graph, const Convolution& from,
                        const ConvChange& change, const std::string& name) {
  Node node = copy_host(graph.node(from.id));
  node.name = name;
  if (change.input.valid()) node.inputs[0] = change.input;
  if (change.weights.defined()) node.inputs[1] = build.constant(name + "/weights", change.weights);
  if (change.bias)
    node.inputs[Epilogue::kBiasInput] =
        change.bias->defined() ? build.constant(name + "/bias", *change.bias) : ValueId{};
  if (change.residual) node.inputs[Epilogue::kResidualInput] = *change.residual;
  if (change.groups > 0) node.attributes.set("group", change.groups);
  write_window(node.attributes, change.window.value_or(from.geometry.window));
  if (!change.keeps_activation)
    for (const std::string_view own : kActivationAttributes) node.attributes.erase(own);
  trim_inputs(node);
  return build.add_node(std::move(node))[0];
}

ValueId add_activation(EditBuilder& build, const Node& host, ValueId value, std::string name) {
  const auto activation = activation_node(host.attributes);
  if (!activation) return value;
  std::vector<ValueId> inputs = {value};
  const auto bound = [&](const std::optional<float>& number) {
    if (!number) return ValueId{};
    return build.constant(name + "/bound",
                          cast(Tensor::scalar(*number), build.type(value).element));
  };
  if (activation->low || activation->high) inputs.push_back(bound(activation->low));
  if (activation->high) inputs.push_back(bound(activation->high));
  return build.add(activation->op, std::move(inputs), activation->attributes, std::move(name));
}

ValueId add_epilogue(EditBuilder& build, const Graph& graph, NodeId conv, ValueId result,
                     const std::vector<ValueId>& addends, const std::string& name) {
  for (const ValueId addend : addends)
    if (addend.valid()) result = build.add("Add", {result, addend}, {}, name + "/sum");
  return add_activation(build, graph.node(conv), result, name + "/activation");
}

}  // namespace braid
