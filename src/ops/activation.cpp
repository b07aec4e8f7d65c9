#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "ops/arithmetic.h"
#include "ops/definitions.h"
#include "ops/elementwise.h"
#include "ops/expansion.h"

namespace braid {
namespace {

/// `Make` takes the attributes and gives the function on one element.
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

/// What PyTorch and ONNX call "none" and "tanh".
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
  def.needs_expansion = [](const Node&, int opset) { return opset < 20; };
  def.expand = [](const Graph& graph, NodeId id) {
    Expansion expansion(graph, id);
    const ValueId x = expansion.node().inputs[0];
    return expansion.finish(is_tanh_form(expansion.node().attributes) ? expansion.gelu_tanh(x)
                                                                      : expansion.gelu(x));
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
      activation_row<kSigned>(
          "Relu", {1, 6, 13, 14}, {},
          [](const Attributes&) { return [](auto x) { return larger(x, decltype(x){0}); }; }),
      activation_row<kFloats>("LeakyRelu", {1, 6, 16}, {number("alpha")},
                              [](const Attributes& a) {
                                return [alpha = a.real("alpha", 0.01F)](auto x) {
                                  return x < 0 ? static_cast<decltype(x)>(alpha) * x : x;
                                };
                              }),
      activation_row<kFloats>("ThresholdedRelu", {10, 22}, {number("alpha")},
                              [](const Attributes& a) {
                                return [alpha = a.real("alpha", 1)](auto x) {
                                  return x <= static_cast<decltype(x)>(alpha) ? decltype(x){0} : x;
                                };
                              }),
      activation_row<kFloats>("Elu", {1, 6, 22}, {number("alpha")},
                              [](const Attributes& a) {
                                return [alpha = a.real("alpha", 1)](auto x) {
                                  return x < 0 ? static_cast<decltype(x)>(alpha) * std::expm1(x)
                                               : x;
                                };
                              }),
      activation_row<kFloats>("Selu", {1, 6, 22}, {number("alpha"), number("gamma")},
                              [](const Attributes& a) {
                                return [alpha = a.real("alpha", 1.67326319F),
                                        gamma = a.real("gamma", 1.05070102F)](auto x) {
                                  using T = decltype(x);
                                  return static_cast<T>(gamma) *
                                         (x > 0 ? x : static_cast<T>(alpha) * std::expm1(x));
                                };
                              }),
      activation_row<kFloats>("Celu", {12, 28}, {number("alpha")},
                              [](const Attributes& a) {
                                return [alpha = a.real("alpha", 1)](auto x) {
                                  using T = decltype(x);
                                  const auto scale = static_cast<T>(alpha);
                                  return larger(x, T{0}) +
                                         smaller(T{0}, scale * std::expm1(x / scale));
                                };
                              }),
      activation_row<kFloats>("Sigmoid", {1, 6, 13}, {},
                              [](const Attributes&) { return [](auto x) { return sigmoid(x); }; }),
      activation_row<kFloats>(
          "HardSigmoid", {1, 6, 22}, {number("alpha"), number("beta")},
          [](const Attributes& a) {
            return [alpha = a.real("alpha", 0.2F), beta = a.real("beta", 0.5F)](auto x) {
              using T = decltype(x);
              return clamp_to_unit(static_cast<T>(alpha) * x + static_cast<T>(beta));
            };
          }),
      activation_row<kFloats>("HardSwish", {14, 22}, {},
                              [](const Attributes&) {
                                return [](auto x) {
                                  using T = decltype(x);
                                  return x * clamp_to_unit(x / T{6} + T{0.5});
                                };
                              }),
      activation_row<kFloats>("Softplus", {1, 22}, {},
                              [](const Attributes&) { return [](auto x) { return softplus(x); }; }),
      activation_row<kFloats>("Softsign", {1, 22}, {},
                              [](const Attributes&) {
                                return [](auto x) { return x / (decltype(x){1} + std::fabs(x)); };
                              }),
      activation_row<kFloats>(
          "Mish", {18, 22}, {},
          [](const Attributes&) { return [](auto x) { return x * std::tanh(softplus(x)); }; }),
      activation_row<kFloats>("Swish", {24}, {number("alpha")},
                              [](const Attributes& a) {
                                return [alpha = a.real("alpha", 1)](auto x) {
                                  return x * sigmoid(static_cast<decltype(x)>(alpha) * x);
                                };
                              }),
      activation_row<kShrunk>("Shrink", {9}, {number("bias"), number("lambd")},
                              [](const Attributes& a) {
                                return [lambd = a.real("lambd", 0.5F), bias = a.real("bias", 0)](
                                           auto x) { return shrink(x, lambd, bias); };
                              }),
      gelu_row(),
  };
}

}  // namespace braid
