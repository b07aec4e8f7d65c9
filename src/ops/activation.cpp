#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "ops/catalog.h"
#include "ops/definitions.h"
#include "ops/shared/arithmetic.h"
#include "ops/shared/elementwise.h"
#include "ops/shared/expansion.h"
#include "ops/shared/step.h"

namespace braid {
namespace {

/// The row of an activation. `Make` takes the attributes and gives the function on one element.
template <ElementSet Types, class Make>
OpDef activation_row(std::string_view name, std::vector<int> versions,
                     std::vector<AttributeDef> attributes, Make) {
  OpDef def;
  def.name = name;
  def.versions = std::move(versions);
  def.attributes = std::move(attributes);
  def.types = Types;
  def.infer = same_type;
  def.work = one_flop_each;
  def.evaluate = [](const OpCall& call, std::span<const Tensor> inputs) {
    return std::vector{map_each<Types, void>(inputs[0], call.outputs[0], Make{}(*call.attributes))};
  };
  return def;
}

AttributeDef number(std::string_view name) { return {name, AttributeKind::Real}; }

/// An attribute that is a number of a step, and its default.
struct Number {
  std::string_view name;
  float value;
};

/// The row of an activation that can be a step of a Chain. `Make` takes its numbers, as alpha and
/// beta, and gives the function on one element.
template <ElementSet Types, class Make>
OpDef step_row(std::string_view name, std::vector<int> versions, Make,
               const std::vector<Number>& numbers = {}) {
  OpDef def = activation_row<Types>(name, std::move(versions), {},
                                    [](const Attributes&) { return [](auto x) { return x; }; });
  StepDef step{name};
  for (const Number& each : numbers) {
    (def.attributes.empty() ? step.alpha : step.beta) = each.value;
    def.attributes.push_back(number(each.name));
  }
  def.steps = {step};
  def.evaluate = [](const OpCall& call, std::span<const Tensor> inputs) {
    const auto [a, b] = numbers_of(op_def(call.op).steps[0], *call.attributes);
    return std::vector{map_each<Types, void>(inputs[0], call.outputs[0], Make{}(a, b))};
  };
  return def;
}

/// The row of such a step that can also be part of a host (Conv, Gemm, MatMul) under the name
/// `activation`. Its numbers are called alpha and beta.
template <ElementSet Types, class Make>
OpDef fusable_row(std::string_view name, std::vector<int> versions, std::string_view activation,
                  Make make, std::optional<float> alpha = {}, std::optional<float> beta = {}) {
  std::vector<Number> numbers;
  if (alpha) numbers.push_back({"alpha", *alpha});
  if (beta) numbers.push_back({"beta", *beta});
  OpDef def = step_row<Types>(name, std::move(versions), make, numbers);
  def.activations = {{.name = activation,
                      .step = name,
                      .alpha = alpha,
                      .beta = beta,
                      .of = [](double x, float a, float b) { return Make{}(a, b)(x); }}};
  return def;
}

/// Writes a node of a fusable row in the operators that `spell` adds.
template <class Spell>
GraphEdit spelled(const Graph& graph, NodeId id, Spell spell) {
  Expansion expansion(graph, id);
  const Node& node = expansion.node();
  const auto [alpha, beta] = numbers_of(op_def(node.op).steps[0], node.attributes);
  return expansion.finish(spell(expansion, node.inputs[0], alpha));
}

/// Both branches keep the exponential below 1, so nothing overflows.
template <class T>
T sigmoid(T x) {
  if (x >= T{0}) return T{1} / (T{1} + std::exp(-x));
  const T e = std::exp(x);
  return e / (T{1} + e);
}

/// log(1 + exp(x))
template <class T>
T softplus(T x) {
  return larger(x, T{0}) + std::log1p(std::exp(-std::fabs(x)));
}

template <class T>
T clamp_to_unit(T x) {
  return smaller(larger(x, T{0}), T{1});
}

template <class T>
T gelu(T x, bool tanh_form) {
  if (!tanh_form) return x / T{2} * (T{1} + std::erf(x * static_cast<T>(0.70710678118654752440)));
  const T inner =
      static_cast<T>(0.79788456080286535588) * (x + static_cast<T>(0.044715) * x * x * x);
  return x / T{2} * (T{1} + std::tanh(inner));
}

/// Whether Gelu is approximated: what PyTorch and ONNX call "tanh", not "none".
bool is_tanh_form(const Attributes& attributes) {
  const std::string form = attributes.text("approximate", "none");
  if (form != "none" && form != "tanh")
    raise(ErrorKind::Model,
          fmt::format("attribute 'approximate' of Gelu is {}, expected none or tanh", quote(form)));
  return form == "tanh";
}

OpDef gelu_row() {
  OpDef def = activation_row<kFloats>(
      "Gelu", {20}, {{"approximate", AttributeKind::Text}},
      [](const Attributes& a) { return [t = is_tanh_form(a)](auto x) { return gelu(x, t); }; });
  def.infer = [](const OpCall& call) {
    is_tanh_form(*call.attributes);
    return same_type(call);
  };
  const Attributes tanh = {{"approximate", std::string("tanh")}};
  def.steps = {{.name = "GeluTanh", .form = tanh}, {.name = "Gelu"}};
  def.activations = {{.name = "gelutanh",
                      .step = "GeluTanh",
                      .form = tanh,
                      .of = [](double x, float, float) { return gelu(x, true); }},
                     {.name = "gelu", .step = "Gelu", .of = [](double x, float, float) {
                        return gelu(x, false);
                      }}};
  def.needs_expansion = [](const Node&, int opset) { return opset < 20; };
  def.expand = [](const Graph& graph, NodeId id) {
    Expansion expansion(graph, id);
    const ValueId x = expansion.node().inputs[0];
    return expansion.finish(is_tanh_form(expansion.node().attributes) ? expansion.gelu_tanh(x)
                                                                      : expansion.gelu(x));
  };
  return def;
}

OpDef relu_row() {
  OpDef def = fusable_row<kSigned>("Relu", {1, 6, 13, 14}, "relu", [](float, float) {
    return [](auto x) { return larger(x, decltype(x){0}); };
  });
  def.activations[0].on_integers = true;
  return def;
}

OpDef hard_swish_row() {
  OpDef def = fusable_row<kFloats>("HardSwish", {14, 22}, "hardswish", [](float, float) {
    return [](auto x) {
      using T = decltype(x);
      return x * clamp_to_unit(x / T{6} + T{0.5});
    };
  });
  def.needs_expansion = [](const Node&, int opset) { return opset < 14; };
  def.expand = [](const Graph& graph, NodeId id) {
    return spelled(graph, id, [](Expansion& e, ValueId x, float) {
      return e.add("Mul", {x, e.add("HardSigmoid", {x}, {{"alpha", 1.0F / 6}, {"beta", 0.5F}})});
    });
  };
  return def;
}

OpDef mish_row() {
  OpDef def = fusable_row<kFloats>("Mish", {18, 22}, "mish", [](float, float) {
    return [](auto x) { return x * std::tanh(softplus(x)); };
  });
  def.needs_expansion = [](const Node&, int opset) { return opset < 18; };
  def.expand = [](const Graph& graph, NodeId id) {
    return spelled(graph, id, [](Expansion& e, ValueId x, float) {
      return e.add("Mul", {x, e.add("Tanh", {e.add("Softplus", {x})})});
    });
  };
  return def;
}

OpDef swish_row() {
  OpDef def = fusable_row<kFloats>(
      "Swish", {24}, "silu",
      [](float alpha, float) {
        return [alpha](auto x) { return x * sigmoid(static_cast<decltype(x)>(alpha) * x); };
      },
      1.0F);
  def.needs_expansion = [](const Node&, int opset) { return opset < 24; };
  def.expand = [](const Graph& graph, NodeId id) {
    return spelled(graph, id, [](Expansion& e, ValueId x, float alpha) {
      const ValueId scaled = alpha == 1 ? x : e.add("Mul", {x, e.number(alpha)});
      return e.add("Mul", {x, e.add("Sigmoid", {scaled})});
    });
  };
  return def;
}

constexpr ElementSet kShrunk = kNumbers & ~set_of(ElementType::BF16);

template <class T>
T shrink(T x, float lambd, float bias) {
  // 64 bits of mantissa on x86: exact on every integer.
  using Wide = std::conditional_t<std::is_floating_point_v<T>, T, long double>;
  const auto wide = static_cast<Wide>(x);
  if (wide < -static_cast<Wide>(lambd)) return convert<T>(wide + static_cast<Wide>(bias));
  if (wide > static_cast<Wide>(lambd)) return convert<T>(wide - static_cast<Wide>(bias));
  return T{0};
}

}  // namespace

std::vector<OpDef> activation_ops() {
  return {
      relu_row(),
      fusable_row<kFloats>(
          "LeakyRelu", {1, 6, 16}, "leakyrelu",
          [](float alpha, float) {
            return [alpha](auto x) { return x < 0 ? static_cast<decltype(x)>(alpha) * x : x; };
          },
          0.01F),
      step_row<kFloats>("ThresholdedRelu", {10, 22},
                        [](float alpha, float) {
                          return [alpha](auto x) {
                            return x > static_cast<decltype(x)>(alpha) ? x : decltype(x){0};
                          };
                        },
                        {{"alpha", 1}}),
      fusable_row<kFloats>(
          "Elu", {1, 6, 22}, "elu",
          [](float alpha, float) {
            return [alpha](auto x) {
              return x < 0 ? static_cast<decltype(x)>(alpha) * std::expm1(x) : x;
            };
          },
          1.0F),
      step_row<kFloats>("Selu", {1, 6, 22},
                        [](float alpha, float gamma) {
                          return [alpha, gamma](auto x) {
                            using T = decltype(x);
                            return static_cast<T>(gamma) *
                                   (x > 0 ? x : static_cast<T>(alpha) * std::expm1(x));
                          };
                        },
                        {{"alpha", 1.67326319F}, {"gamma", 1.05070102F}}),
      step_row<kFloats>("Celu", {12, 28},
                        [](float alpha, float) {
                          return [alpha](auto x) {
                            using T = decltype(x);
                            const auto scale = static_cast<T>(alpha);
                            return larger(x, T{0}) + smaller(T{0}, scale * std::expm1(x / scale));
                          };
                        },
                        {{"alpha", 1}}),
      fusable_row<kFloats>("Sigmoid", {1, 6, 13}, "sigmoid",
                           [](float, float) { return [](auto x) { return sigmoid(x); }; }),
      fusable_row<kFloats>("Tanh", {1, 6, 13}, "tanh",
                           [](float, float) { return [](auto x) { return std::tanh(x); }; }),
      fusable_row<kFloats>(
          "HardSigmoid", {1, 6, 22}, "hardsigmoid",
          [](float alpha, float beta) {
            return [alpha, beta](auto x) {
              using T = decltype(x);
              return clamp_to_unit(static_cast<T>(alpha) * x + static_cast<T>(beta));
            };
          },
          0.2F, 0.5F),
      hard_swish_row(),
      step_row<kFloats>("Softplus", {1, 22},
                        [](float, float) { return [](auto x) { return softplus(x); }; }),
      step_row<kFloats>(
          "Softsign", {1, 22},
          [](float, float) { return [](auto x) { return x / (decltype(x){1} + std::fabs(x)); }; }),
      mish_row(),
      swish_row(),
      step_row<kShrunk>("Shrink", {9},
                        [](float bias, float lambd) {
                          return [bias, lambd](auto x) { return shrink(x, lambd, bias); };
                        },
                        {{"bias", 0}, {"lambd", 0.5F}}),
      gelu_row(),
  };
}

}  // namespace braid
