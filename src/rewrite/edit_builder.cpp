#include "rewrite/edit_builder.h"

#include "ops/call.h"
#include "ops/catalog.h"

namespace braid {

const TensorType& EditBuilder::type(ValueId id) const {
  return GraphEdit::is_new(id) ? edit_.type_of_new(id) : graph_.value(id).type;
}

const Tensor* EditBuilder::elements(ValueId id) const {
  const Tensor& tensor =
      GraphEdit::is_new(id) ? edit_.constant_of_new(id) : graph_.value(id).constant;
  return tensor.defined() ? &tensor : nullptr;
}

std::vector<ValueId> EditBuilder::add_node(Node node, std::size_t outputs) {
  OpCall call;
  call.op = node.op;
  call.attributes = &node.attributes;
  for (const ValueId input : node.inputs) {
    call.inputs.push_back(input.valid() ? &type(input) : nullptr);
    call.known.push_back(input.valid() ? elements(input) : nullptr);
  }
  call.output_count = outputs;
  std::vector<TensorType> types = infer(op_def(node.op), std::move(call));
  node.outputs.clear();
  return edit_.add_node(std::move(node), std::move(types));
}

ValueId EditBuilder::add(std::string_view op, std::vector<ValueId> inputs, Attributes attributes,
                         std::string name) {
  Node node;
  node.op = op;
  node.name = std::move(name);
  node.attributes = std::move(attributes);
  node.inputs = std::move(inputs);
  return add_node(std::move(node))[0];
}

ValueId EditBuilder::constant(std::string name, Tensor tensor) {
  if (!allowance_.spend(byte_size(tensor.type()), 0)) affordable_ = false;
  return edit_.add_constant(std::move(name), std::move(tensor));
}

ValueId EditBuilder::integers(std::string name, const std::vector<std::int64_t>& list) {
  return constant(std::move(name), Tensor::of<std::int64_t>(
                                       {static_cast<std::int64_t>(list.size())}, std::span(list)));
}

ValueId EditBuilder::concat(std::vector<ValueId> values, std::int64_t axis, std::string name) {
  if (values.size() == 1) return values[0];
  return add("Concat", std::move(values), {{"axis", axis}}, std::move(name));
}

std::vector<ValueId> EditBuilder::split(ValueId value, const std::vector<std::int64_t>& lengths,
                                        std::int64_t axis, std::string name) {
  Node node;
  node.op = "Split";
  node.attributes.set("axis", axis);
  node.inputs = {value, integers(name + "/lengths", lengths)};
  node.name = std::move(name);
  return add_node(std::move(node), lengths.size());
}

}  // namespace braid
