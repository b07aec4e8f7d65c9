#include "ops/epilogue.h"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"

namespace braid {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Row {
  std::string_view name;
  Activation activation;
  bool on_integers;
  float alpha;  // the defaults, ONNX's where it has them
  float beta;
};
constexpr std::array kRows = {
    Row{"", Activation::None, true, 0, 0},
    Row{"relu", Activation::Relu, true, 0, 0},
    Row{"leakyrelu", Activation::LeakyRelu, false, 0.01F, 0},
    Row{"elu", Activation::Elu, false, 1, 0},
    Row{"clip", Activation::Clip, true, -kInfinity, kInfinity},
    Row{"sigmoid", Activation::Sigmoid, false, 0, 0},
    Row{"hardsigmoid", Activation::HardSigmoid, false, 0.2F, 0.5F},
    Row{"hardswish", Activation::HardSwish, false, 0, 0},
    Row{"silu", Activation::Silu, false, 0, 0},
    Row{"tanh", Activation::Tanh, false, 0, 0},
    Row{"gelu", Activation::Gelu, false, 0, 0},
    Row{"gelutanh", Activation::GeluTanh, false, 0, 0},
};

const Row& row_of(const Attributes& attributes) {
  const std::string text = attributes.text("activation", "");
  for (const Row& row : kRows)
    if (row.name == text) return row;
  std::string names;
  for (const Row& row : kRows)
    if (!row.name.empty()) names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  raise(ErrorKind::Model,
        fmt::format("attribute 'activation' is {}, expected one of {}", quote(text), names));
}

Tensor scalar_of(ElementType element, double x) {
  Tensor tensor = Tensor::uninitialised({element, {}});
  dispatch(element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    tensor.mutable_data<T>()[0] = store<T>(x);
  });
  return tensor;
}

/// Appends nodes that all have the type of the output that is being expanded.
class Expansion {
 public:
  Expansion(const Graph& graph, NodeId id)
      : edit_("expand-epilogue"),
        node_(graph.node(id)),
        old_(node_.outputs[0]),
        type_(graph.value(old_).type) {}

  ValueId add(std::string_view op, std::vector<ValueId> inputs, Attributes attributes = {},
              const std::string& name = {}) {
    Node node;
    node.op = op;
    node.name = name;
    node.attributes = std::move(attributes);
    node.inputs = std::move(inputs);
    return edit_.add_node(std::move(node), {type_})[0];
  }
  ValueId number(double x) { return edit_.add_constant("epilogue", scalar_of(type_.element, x)); }

  ValueId plain() {
    Attributes attributes = node_.attributes;
    for (std::string_view ours : {"activation", "activation_alpha", "activation_beta"})
      attributes.erase(ours);
    std::vector<ValueId> inputs = node_.inputs;
    inputs.resize(std::min(inputs.size(),
                           node_.op == "MatMul" ? Epilogue::kBiasInput : Epilogue::kResidualInput));
    while (!inputs.back().valid()) inputs.pop_back();
    return add(node_.op, std::move(inputs), std::move(attributes), node_.name);
  }
  ValueId added(ValueId x, std::size_t input) {
    const bool present = node_.inputs.size() > input && node_.inputs[input].valid();
    return present ? add("Add", {x, node_.inputs[input]}) : x;
  }
  ValueId activated(ValueId x);

  GraphEdit finish(ValueId result) {
    edit_.replace(old_, result);
    return std::move(edit_);
  }
  const Node& node() const { return node_; }

 private:
  GraphEdit edit_;
  const Node& node_;
  ValueId old_;
  TensorType type_;
};

ValueId Expansion::activated(ValueId x) {
  const Epilogue epilogue = read_epilogue(node_.attributes);
  switch (epilogue.activation) {
    case Activation::None:
      return x;
    case Activation::Relu:
      return add("Relu", {x});
    case Activation::LeakyRelu:
      return add("LeakyRelu", {x}, {{"alpha", epilogue.alpha}});
    case Activation::Elu:
      return add("Elu", {x}, {{"alpha", epilogue.alpha}});
    case Activation::Clip:
      return add("Clip", {x, std::isinf(epilogue.alpha) ? ValueId() : number(epilogue.alpha),
                          std::isinf(epilogue.beta) ? ValueId() : number(epilogue.beta)});
    case Activation::Sigmoid:
      return add("Sigmoid", {x});
    case Activation::HardSigmoid:
      return add("HardSigmoid", {x}, {{"alpha", epilogue.alpha}, {"beta", epilogue.beta}});
    case Activation::HardSwish:
      return add("Mul", {x, add("HardSigmoid", {x}, {{"alpha", 1.0F / 6}, {"beta", 0.5F}})});
    case Activation::Silu:
      return add("Mul", {x, add("Sigmoid", {x})});
    case Activation::Tanh:
      return add("Tanh", {x});
    case Activation::Gelu: {
      const ValueId erf = add("Erf", {add("Div", {x, number(std::sqrt(2.0))})});
      return add("Mul", {add("Mul", {x, add("Add", {erf, number(1)})}), number(0.5)});
    }
    case Activation::GeluTanh: {
      const ValueId cube = add("Mul", {add("Mul", {x, x}), add("Mul", {x, number(0.044715)})});
      const ValueId inner = add("Mul", {add("Add", {x, cube}), number(0.7978845608028654)});
      const ValueId outer = add("Add", {add("Tanh", {inner}), number(1)});
      return add("Mul", {add("Mul", {x, outer}), number(0.5)});
    }
  }
  raise(ErrorKind::Internal, "activation out of range");
}

}  // namespace

std::vector<AttributeDef> with_epilogue_attributes(std::vector<AttributeDef> own) {
  own.push_back({"activation", AttributeKind::Text});
  own.push_back({"activation_alpha", AttributeKind::Real});
  own.push_back({"activation_beta", AttributeKind::Real});
  return own;
}

Epilogue read_epilogue(const Attributes& attributes) {
  const Row& row = row_of(attributes);
  Epilogue epilogue;
  epilogue.activation = row.activation;
  epilogue.alpha = attributes.real("activation_alpha", row.alpha);
  epilogue.beta = attributes.real("activation_beta", row.beta);
  if (std::isnan(epilogue.alpha) || std::isnan(epilogue.beta))
    raise(ErrorKind::Model, "an attribute of the activation is not a number");
  return epilogue;
}

Epilogue read_epilogue(const OpCall& call) {
  Epilogue epilogue = read_epilogue(*call.attributes);
  epilogue.bias = call.has(Epilogue::kBiasInput);
  epilogue.residual = call.has(Epilogue::kResidualInput);
  const ElementType element = call.input(0).element;
  if (!is_float_type(element) && !row_of(*call.attributes).on_integers)
    raise(ErrorKind::Unsupported,
          fmt::format("activation '{}' of {} is not defined on elements of type {}",
                      name(epilogue.activation), call.op, name(element)));
  return epilogue;
}

std::string_view name(Activation activation) {
  for (const Row& row : kRows)
    if (row.activation == activation) return row.name;
  raise(ErrorKind::Internal, "activation out of range");
}

void check_residual(const OpCall& call, const TensorType& output) {
  if (call.has(Epilogue::kResidualInput) && call.input(Epilogue::kResidualInput) != output)
    raise(ErrorKind::Model,
          fmt::format("the residual of {} has type {}, expected the output's {}", call.op,
                      to_string(call.input(Epilogue::kResidualInput)), to_string(output)));
}

double epilogue_flops(const OpCall& call) {
  const Epilogue epilogue = read_epilogue(call);
  return (epilogue.bias ? 1 : 0) + (epilogue.residual ? 1 : 0) +
         (epilogue.activation != Activation::None ? 1 : 0);
}

bool has_epilogue(const Node& node) {
  const auto present = [&](std::size_t i) {
    return node.inputs.size() > i && node.inputs[i].valid();
  };
  return node.attributes.has("activation") || node.attributes.has("activation_alpha") ||
         node.attributes.has("activation_beta") || present(Epilogue::kResidualInput) ||
         (node.op == "MatMul" && present(Epilogue::kBiasInput));
}

GraphEdit expand_epilogue(const Graph& graph, NodeId id) {
  Expansion expansion(graph, id);
  ValueId x = expansion.plain();
  if (expansion.node().op == "MatMul") x = expansion.added(x, Epilogue::kBiasInput);
  x = expansion.added(x, Epilogue::kResidualInput);
  return expansion.finish(expansion.activated(x));
}

}  // namespace braid
