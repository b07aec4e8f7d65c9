#include "ops/shared/expansion.h"

#include <cmath>

#include "ops/cast.h"

namespace braid {
Expansion::Expansion(const Graph& graph, NodeId id)
    : edit_("expand"),
      node_(graph.node(id)),
      old_(node_.outputs[0]),
      type_(graph.value(old_).type) {}

ValueId Expansion::add(std::string_view op, std::vector<ValueId> inputs, Attributes attributes,
                       const std::string& name) {
  return add(op, std::move(inputs), std::move(attributes), type_, name);
}

ValueId Expansion::add(std::string_view op, std::vector<ValueId> inputs, Attributes attributes,
                       const TensorType& type, const std::string& name) {
  Node node;
  node.op = op;
  node.name = name;
  node.attributes = std::move(attributes);
  node.inputs = std::move(inputs);
  return edit_.add_node(std::move(node), {type})[0];
}

ValueId Expansion::constant(Tensor tensor) {
  return edit_.add_constant("expanded", std::move(tensor));
}

ValueId Expansion::number(double x) { return number(x, type_.element); }
ValueId Expansion::number(double x, ElementType element) {
  return constant(cast(Tensor::scalar(x), element));
}

ValueId Expansion::gelu(ValueId x) {
  const ValueId erf = add("Erf", {add("Div", {x, number(std::sqrt(2.0))})});
  return add("Mul", {add("Mul", {x, add("Add", {erf, number(1)})}), number(0.5)});
}

ValueId Expansion::gelu_tanh(ValueId x) {
  const ValueId cube = add("Mul", {add("Mul", {x, x}), add("Mul", {x, number(0.044715)})});
  const ValueId inner = add("Mul", {add("Add", {x, cube}), number(0.7978845608028654)});
  const ValueId outer = add("Add", {add("Tanh", {inner}), number(1)});
  return add("Mul", {add("Mul", {x, outer}), number(0.5)});
}

GraphEdit Expansion::finish(ValueId result) {
  edit_.replace(old_, result);
  return std::move(edit_);
}

}  // namespace braid
