#include "ops/separable_conv.h"

#include <array>

#include <fmt/format.h>

#include "ops/call.h"
#include "ops/catalog.h"
#include "ops/conv.h"
#include "ops/definitions.h"
#include "ops/shared/epilogue.h"
#include "ops/shared/expansion.h"

namespace braid {
namespace {

constexpr std::array<std::string_view, 4> kOfWindow = {"auto_pad", "dilations", "pads", "strides"};
constexpr std::array<std::string_view, 3> kOfActivation = {"activation", "activation_alpha",
                                                           "activation_beta"};
constexpr std::string_view kOfDepthwise = "depthwise_";

void copy_attribute(const Attributes& from, std::string_view name, Attributes& to,
                    std::string_view as) {
  if (const Attribute* found = from.find(name)) to.set(as, *found);
}

Attributes attributes_of_depthwise(const Attributes& from, std::int64_t channels) {
  Attributes attributes = {{"group", channels}};
  for (const std::string_view name : kOfWindow) copy_attribute(from, name, attributes, name);
  for (const std::string_view name : kOfActivation)
    copy_attribute(from, fmt::format("{}{}", kOfDepthwise, name), attributes, name);
  return attributes;
}

Attributes attributes_of_pointwise(const Attributes& from) {
  Attributes attributes;
  for (const std::string_view name : kOfActivation) copy_attribute(from, name, attributes, name);
  return attributes;
}

/// The call of a Conv that reads these inputs of the pair, with its output's type.
OpCall call_of_half(const OpCall& pair, const Attributes& attributes,
                    std::span<const std::size_t> inputs, const TensorType* between) {
  OpCall call;
  call.op = "Conv";
  call.attributes = &attributes;
  if (between != nullptr) {
    call.inputs.push_back(between);
    call.known.push_back(nullptr);
  }
  for (const std::size_t i : inputs) {
    call.inputs.push_back(pair.has(i) ? pair.inputs[i] : nullptr);
    call.known.push_back(pair.has(i) ? pair.known[i] : nullptr);
  }
  call.outputs = infer(op_def("Conv"), call);
  return call;
}

constexpr std::array<std::size_t, 3> kInputsOfDepthwise = {0, 1, SeparableInput::kDepthwiseBias};
constexpr std::array<std::size_t, 3> kInputsOfPointwise = {
    SeparableInput::kPointwiseWeights, SeparableInput::kPointwiseBias, SeparableInput::kResidual};

std::int64_t channels_of(const OpCall& call) {
  if (call.rank(0) < 2)
    raise(ErrorKind::Model,
          fmt::format("SeparableConv has an input of shape {}, expected [N,C,...]",
                      to_string(call.dims(0))));
  return call.dims(0)[1];
}

std::vector<TensorType> infer_separable(const OpCall& call) {
  return SeparableCalls(call).pointwise().outputs;
}

Work separable_work(const OpCall& call) {
  const SeparableCalls calls(call);
  const Work first = work(op_def("Conv"), calls.depthwise());
  const Work second = work(op_def("Conv"), calls.pointwise());
  return {.flops = first.flops + second.flops, .macs = first.macs + second.macs};
}

bool is_there(const Tensor& tensor) { return tensor.defined(); }
bool is_there(ValueId value) { return value.valid(); }

/// Adds some of the inputs, but for those at the end that are not there.
template <class T>
std::vector<T> with_inputs(std::vector<T> list, std::span<const T> all,
                           std::span<const std::size_t> wanted) {
  for (const std::size_t i : wanted) list.push_back(i < all.size() ? all[i] : T{});
  while (!is_there(list.back())) list.pop_back();
  return list;
}

std::vector<Tensor> evaluate_separable(const OpCall& call, std::span<const Tensor> inputs) {
  const SeparableCalls calls(call);
  std::vector<Tensor> between =
      evaluate("Conv", *calls.depthwise().attributes, with_inputs({}, inputs, kInputsOfDepthwise));
  return evaluate("Conv", *calls.pointwise().attributes,
                  with_inputs(std::move(between), inputs, kInputsOfPointwise));
}

GraphEdit expand_separable(const Graph& graph, NodeId id) {
  Expansion expansion(graph, id);
  const OpCall call = call_of(graph, expansion.node());
  const SeparableCalls calls(call);
  const std::span<const ValueId> inputs = expansion.node().inputs;
  const ValueId between =
      expansion.add("Conv", with_inputs({}, inputs, kInputsOfDepthwise),
                    *calls.depthwise().attributes, calls.depthwise().outputs[0]);
  return expansion.finish(expansion.add("Conv", with_inputs({between}, inputs, kInputsOfPointwise),
                                        *calls.pointwise().attributes));
}

std::vector<AttributeDef> attributes_of_separable() {
  return with_epilogue_attributes({{"auto_pad", AttributeKind::Text},
                                   {"depthwise_activation", AttributeKind::Text},
                                   {"depthwise_activation_alpha", AttributeKind::Real},
                                   {"depthwise_activation_beta", AttributeKind::Real},
                                   {"dilations", AttributeKind::Integers},
                                   {"pads", AttributeKind::Integers},
                                   {"strides", AttributeKind::Integers}});
}

}  // namespace

Attributes separable_attributes(const Attributes& depthwise, const Attributes& pointwise) {
  Attributes attributes = attributes_of_pointwise(pointwise);
  for (const std::string_view name : kOfWindow) copy_attribute(depthwise, name, attributes, name);
  for (const std::string_view name : kOfActivation)
    copy_attribute(depthwise, name, attributes, fmt::format("{}{}", kOfDepthwise, name));
  return attributes;
}

SeparableCalls::SeparableCalls(const OpCall& call)
    : depthwise_attributes_(attributes_of_depthwise(*call.attributes, channels_of(call))),
      pointwise_attributes_(attributes_of_pointwise(*call.attributes)),
      depthwise_(call_of_half(call, depthwise_attributes_, kInputsOfDepthwise, nullptr)),
      pointwise_(
          call_of_half(call, pointwise_attributes_, kInputsOfPointwise, &depthwise_.outputs[0])) {
  if (!is_pointwise(conv_geometry(pointwise_).window))
    raise(ErrorKind::Model,
          fmt::format("the second weight of SeparableConv has shape {}, expected extents of 1",
                      to_string(pointwise_.dims(1))));
}

std::vector<OpDef> separable_conv_ops() {
  OpDef def;
  def.name = "SeparableConv";
  def.min_inputs = SeparableInput::kPointwiseWeights + 1;
  def.max_inputs = SeparableInput::kResidual + 1;
  def.attributes = attributes_of_separable();
  def.types = kNumbers;
  def.infer = infer_separable;
  def.work = separable_work;
  def.evaluate = evaluate_separable;
  def.expand = expand_separable;
  def.needs_expansion = [](const Node&, int) { return true; };
  return {def};
}

}  // namespace braid
