#include "ops/epilogue.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"
#include "ops/expansion.h"

namespace braid {
namespace {

constexpr float kNoLimit = std::numeric_limits<float>::infinity();

struct ActivationRow {
  std::string_view name;
  Activation activation;
  bool on_integers;
  float alpha;  // the defaults, ONNX's where it has them
  float beta;
};
constexpr std::array kActivations = {
    ActivationRow{"", Activation::None, true, 0, 0},
    ActivationRow{"relu", Activation::Relu, true, 0, 0},
    ActivationRow{"leakyrelu", Activation::LeakyRelu, false, 0.01F, 0},
    ActivationRow{"elu", Activation::Elu, false, 1, 0},
    ActivationRow{"clip", Activation::Clip, true, -kNoLimit, kNoLimit},
    ActivationRow{"sigmoid", Activation::Sigmoid, false, 0, 0},
    ActivationRow{"hardsigmoid", Activation::HardSigmoid, false, 0.2F, 0.5F},
    ActivationRow{"hardswish", Activation::HardSwish, false, 0, 0},
    ActivationRow{"silu", Activation::Silu, false, 0, 0},
    ActivationRow{"tanh", Activation::Tanh, false, 0, 0},
    ActivationRow{"gelu", Activation::Gelu, false, 0, 0},
    ActivationRow{"gelutanh", Activation::GeluTanh, false, 0, 0},
};

const ActivationRow& row_of(const Attributes& attributes) {
  const std::string text = attributes.text("activation", "");
  for (const ActivationRow& row : kActivations)
    if (row.name == text) return row;
  std::string names;
  for (const ActivationRow& row : kActivations)
    if (!row.name.empty()) names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  raise(ErrorKind::Model,
        fmt::format("attribute 'activation' is {}, expected one of {}", quote(text), names));
}

bool takes_residual(const Node& node) { return node.op != "BatchNormalization"; }

ValueId plain(Expansion& expansion) {
  const Node& node = expansion.node();
  Attributes attributes = node.attributes;
  for (std::string_view ours : {"activation", "activation_alpha", "activation_beta"})
    attributes.erase(ours);
  std::vector<ValueId> inputs = node.inputs;
  if (takes_residual(node))
    inputs.resize(std::min(inputs.size(),
                           node.op == "MatMul" ? Epilogue::kBiasInput : Epilogue::kResidualInput));
  while (!inputs.back().valid()) inputs.pop_back();
  return expansion.add(node.op, std::move(inputs), std::move(attributes), node.name);
}

ValueId added(Expansion& expansion, ValueId x, std::size_t input) {
  const std::vector<ValueId>& inputs = expansion.node().inputs;
  const bool present = inputs.size() > input && inputs[input].valid();
  return present ? expansion.add("Add", {x, inputs[input]}) : x;
}

ValueId activated(Expansion& e, ValueId x) {
  const Epilogue epilogue = read_epilogue(e.node().attributes);
  switch (epilogue.activation) {
    case Activation::None:
      return x;
    case Activation::Relu:
      return e.add("Relu", {x});
    case Activation::LeakyRelu:
      return e.add("LeakyRelu", {x}, {{"alpha", epilogue.alpha}});
    case Activation::Elu:
      return e.add("Elu", {x}, {{"alpha", epilogue.alpha}});
    case Activation::Clip:
      return e.add("Clip", {x, std::isinf(epilogue.alpha) ? ValueId() : e.number(epilogue.alpha),
                            std::isinf(epilogue.beta) ? ValueId() : e.number(epilogue.beta)});
    case Activation::Sigmoid:
      return e.add("Sigmoid", {x});
    case Activation::HardSigmoid:
      return e.add("HardSigmoid", {x}, {{"alpha", epilogue.alpha}, {"beta", epilogue.beta}});
    case Activation::HardSwish:
      return e.add("Mul", {x, e.add("HardSigmoid", {x}, {{"alpha", 1.0F / 6}, {"beta", 0.5F}})});
    case Activation::Silu:
      return e.add("Mul", {x, e.add("Sigmoid", {x})});
    case Activation::Tanh:
      return e.add("Tanh", {x});
    case Activation::Gelu:
      return e.gelu(x);
    case Activation::GeluTanh:
      return e.gelu_tanh(x);
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
  const ActivationRow& row = row_of(attributes);
  Epilogue epilogue;
  epilogue.activation = row.activation;
  epilogue.alpha = attributes.real("activation_alpha", row.alpha);
  epilogue.beta = attributes.real("activation_beta", row.beta);
  if (std::isnan(epilogue.alpha) || std::isnan(epilogue.beta))
    raise(ErrorKind::Model, "an attribute of the activation is not a number");
  return epilogue;
}

Epilogue read_epilogue(const OpCall& call) {
  Epilogue epilogue = read_activation(call);
  epilogue.bias = call.has(Epilogue::kBiasInput);
  epilogue.residual = call.has(Epilogue::kResidualInput);
  return epilogue;
}

Epilogue read_activation(const OpCall& call) {
  const Epilogue epilogue = read_epilogue(*call.attributes);
  const ElementType element = call.input(0).element;
  if (!is_float_type(element) && !row_of(*call.attributes).on_integers)
    raise(ErrorKind::Unsupported,
          fmt::format("activation '{}' of {} is not defined on elements of type {}",
                      name(epilogue.activation), call.op, name(element)));
  return epilogue;
}

std::string_view name(Activation activation) {
  for (const ActivationRow& row : kActivations)
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
         node.attributes.has("activation_beta") ||
         (takes_residual(node) && present(Epilogue::kResidualInput)) ||
         (node.op == "MatMul" && present(Epilogue::kBiasInput));
}

GraphEdit expand_epilogue(const Graph& graph, NodeId id) {
  Expansion expansion(graph, id);
  ValueId x = plain(expansion);
  if (expansion.node().op == "MatMul") x = added(expansion, x, Epilogue::kBiasInput);
  if (takes_residual(expansion.node())) x = added(expansion, x, Epilogue::kResidualInput);
  return expansion.finish(activated(expansion, x));
}

}  // namespace braid
