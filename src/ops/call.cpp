#include "ops/call.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/text.h"
#include "graph/order.h"
#include "ops/catalog.h"
#include "tensor/element.h"

namespace braid {
namespace {

std::string_view kind_name(AttributeKind kind) {
  constexpr std::array<std::string_view, 7> names = {
      "an integer",        "a number",        "a text",  "a list of integers",
      "a list of numbers", "a list of texts", "a tensor"};
  return names[static_cast<std::size_t>(kind)];
}

void check_attributes(const OpDef& def, const Attributes& attributes) {
  for (const auto& [name, value] : attributes) {
    const AttributeDef* found = nullptr;
    for (const AttributeDef& candidate : def.attributes)
      if (candidate.name == name) found = &candidate;
    if (found == nullptr)
      raise(ErrorKind::Model, fmt::format("{} has no attribute {}", def.name, quote(name)));
    const bool one_of_list =
        found->kind == AttributeKind::Integers && std::holds_alternative<std::int64_t>(value);
    if (value.index() != static_cast<std::size_t>(found->kind) && !one_of_list)
      raise(ErrorKind::Model, fmt::format("attribute '{}' of {} is {}, expected {}", name, def.name,
                                          kind_of(value), kind_name(found->kind)));
  }
  for (const AttributeDef& attribute : def.attributes)
    if (attribute.required && !attributes.has(attribute.name))
      raise(ErrorKind::Model, fmt::format("{} needs the attribute '{}'", def.name, attribute.name));
}

void check_arity(const OpDef& def, const OpCall& call) {
  std::size_t present = call.inputs.size();
  while (present > 0 && call.inputs[present - 1] == nullptr) --present;
  if (present < def.min_inputs || present > def.max_inputs) {
    const std::string most =
        def.max_inputs == kVariadic ? "more" : fmt::format("{}", def.max_inputs);
    raise(ErrorKind::Model,
          fmt::format("{} takes {} to {} inputs, got {}", def.name, def.min_inputs, most, present));
  }
  for (std::size_t i = 0; i < def.min_inputs; ++i)
    if (call.inputs[i] == nullptr)
      raise(ErrorKind::Model, fmt::format("input {} of {} may not be absent", i, def.name));
  if (call.output_count > def.max_outputs)
    raise(ErrorKind::Model, fmt::format("{} has at most {} outputs, {} were asked for", def.name,
                                        def.max_outputs, call.output_count));
  if (call.has(def.typed_input)) {
    const ElementType element = call.input(def.typed_input).element;
    if ((def.types & set_of(element)) == 0)
      raise(ErrorKind::Unsupported,
            fmt::format("{} is not defined on elements of type {}", def.name, name(element)));
  }
}

Work moved_bytes(const OpCall& call) {
  Work work;
  for (const TensorType* type : call.inputs)
    if (type != nullptr) work.bytes_read = checked_add(work.bytes_read, byte_size(*type));
  for (const TensorType& type : call.outputs)
    work.bytes_written = checked_add(work.bytes_written, byte_size(type));
  return work;
}

}  // namespace

const TensorType& OpCall::input(std::size_t i) const {
  if (!has(i)) raise(ErrorKind::Model, fmt::format("input {} of {} is missing", i, op));
  return *inputs[i];
}

const Tensor& OpCall::known_input(std::size_t i, std::string_view what) const {
  input(i);
  if (i >= known.size() || known[i] == nullptr)
    throw ValueNeeded(
        fmt::format(
            "{} of {} must be known before the model runs, but it depends on the model's inputs",
            what, op),
        i);
  return *known[i];
}

std::vector<std::int64_t> OpCall::known_integers(std::size_t i, std::string_view what) const {
  const Tensor tensor = known_input(i, what).aligned();
  std::vector<std::int64_t> out;
  if (tensor.element() == ElementType::I64) {
    const auto data = tensor.data<std::int64_t>();
    out.assign(data.begin(), data.end());
  } else if (tensor.element() == ElementType::I32) {
    const auto data = tensor.data<std::int32_t>();
    out.assign(data.begin(), data.end());
  } else {
    raise(ErrorKind::Model,
          fmt::format("{} of {} has type {}, expected i64", what, op, name(tensor.element())));
  }
  return out;
}

OpCall call_of(const Graph& graph, const Node& node, const KnownValues* known) {
  OpCall call;
  call.op = node.op;
  call.attributes = &node.attributes;
  for (ValueId input : node.inputs) {
    call.inputs.push_back(input.valid() ? &graph.value(input).type : nullptr);
    const Tensor* elements = nullptr;
    if (input.valid() && graph.is_constant(input)) elements = &graph.value(input).constant;
    if (input.valid() && elements == nullptr && known != nullptr)
      if (const auto found = known->find(input); found != known->end()) elements = &found->second;
    call.known.push_back(elements);
  }
  call.output_count = std::max<std::size_t>(node.outputs.size(), 1);
  for (ValueId output : node.outputs)
    call.outputs.push_back(output.valid() && graph.alive(output) ? graph.value(output).type
                                                                 : TensorType{});
  return call;
}

bool all_f32(const OpCall& call) {
  for (const TensorType* type : call.inputs)
    if (type != nullptr && type->element != ElementType::F32) return false;
  return true;
}

std::vector<TensorType> infer(const OpDef& def, OpCall call) {
  check_attributes(def, *call.attributes);
  check_arity(def, call);
  call.outputs.clear();
  std::vector<TensorType> types = def.infer(call);
  for (const TensorType& type : types) element_count(type);
  return types;
}

Work work(const OpDef& def, const OpCall& call) {
  Work result = moved_bytes(call);
  if (def.work == nullptr) return result;
  const Work own = def.work(call);
  result.flops = own.flops;
  result.macs = own.macs;
  if (own.bytes_read > 0) result.bytes_read = own.bytes_read;
  if (own.bytes_written > 0) result.bytes_written = own.bytes_written;
  return result;
}

Work work(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  return work(op_def(node.op), call_of(graph, node));
}

Footprint footprint(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  const OpDef& def = op_def(node.op);
  const OpCall call = call_of(graph, node);
  if (def.footprint != nullptr) return def.footprint(call);
  std::int64_t elements = 0;
  for (const TensorType& type : call.outputs) elements = checked_add(elements, element_count(type));
  Footprint result;
  result.blocks = std::max<std::int64_t>(1, ceil_div(elements, std::int64_t{4} * result.threads));
  return result;
}

std::vector<Tensor> uninitialised_outputs(const OpCall& call) {
  std::vector<Tensor> outputs;
  outputs.reserve(call.outputs.size());
  for (const TensorType& type : call.outputs) outputs.push_back(Tensor::uninitialised(type));
  return outputs;
}

std::vector<Tensor> evaluate(std::string_view op, const Attributes& attributes,
                             std::span<const Tensor> inputs, std::size_t output_count) {
  const OpDef& def = op_def(op);
  OpCall call;
  call.op = op;
  call.attributes = &attributes;
  call.output_count = output_count;
  std::vector<Tensor> aligned;
  aligned.reserve(inputs.size());
  for (const Tensor& input : inputs)
    aligned.push_back(input.defined() ? input.aligned() : Tensor{});
  for (const Tensor& input : aligned) {
    call.inputs.push_back(input.defined() ? &input.type() : nullptr);
    call.known.push_back(input.defined() ? &input : nullptr);
  }
  call.outputs = infer(def, call);
  // Without output elements there is nothing to compute, whatever the extents of the loops.
  if (std::all_of(call.outputs.begin(), call.outputs.end(),
                  [](const TensorType& type) { return element_count(type) == 0; }))
    return uninitialised_outputs(call);
  std::vector<Tensor> results = def.evaluate(call, aligned);
  require(results.size() <= call.outputs.size(),
          "an operator evaluated to more outputs than it infers");
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i].type() != call.outputs[i])
      raise(ErrorKind::Internal,
            fmt::format("output {} of {} was inferred as {} and evaluated to {}", i, op,
                        to_string(call.outputs[i]), to_string(results[i].type())));
  return results;
}

std::vector<Tensor> evaluate(const Node& node, std::span<const Tensor> inputs) {
  return evaluate(node.op, node.attributes, inputs, std::max<std::size_t>(node.outputs.size(), 1));
}

std::vector<Tensor> evaluate(const Graph& graph, std::span<const Tensor> inputs) {
  require(inputs.size() == graph.inputs().size(), "one tensor for each graph input");
  std::vector<Tensor> values(graph.value_limit());
  for (std::size_t i = 0; i < inputs.size(); ++i) values[graph.inputs()[i].at()] = inputs[i];
  for (ValueId id : graph.value_ids())
    if (graph.is_constant(id)) values[id.at()] = graph.value(id).constant;
  for (NodeId id : topological_order(graph)) {
    const Node& node = graph.node(id);
    std::vector<Tensor> arguments;
    for (ValueId input : node.inputs)
      arguments.push_back(input.valid() ? values[input.at()] : Tensor{});
    const auto where = [&] { return "while evaluating " + describe(graph, id); };
    const std::vector<Tensor> results = with_note(where, [&] { return evaluate(node, arguments); });
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
      if (node.outputs[i].valid()) values[node.outputs[i].at()] = results.at(i);
  }
  return values;
}

bool counts_as_operator(const Node& node) {
  for (std::string_view helper : {"Constant", "Identity", "Reshape", "Flatten", "Pad", "Slice"})
    if (node.op == helper) return false;
  return true;
}

}  // namespace braid
