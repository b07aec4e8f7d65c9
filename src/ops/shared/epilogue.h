#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "ops/op.h"
#include "tensor/element.h"

namespace braid {

/// What a Conv, Gemm or MatMul does to its result before writing it:
///     activation(result + bias + residual)
/// BatchNormalization has the activation alone.
/// Written as the attributes `activation` (ActivationDef::name), `activation_alpha` and
/// `activation_beta`, and the optional input `residual`, which has the output's type. The bias is
/// an input of ONNX's own for Conv and Gemm, and ours for MatMul.
struct Epilogue {
  static constexpr std::size_t kBiasInput = 2;
  static constexpr std::size_t kResidualInput = 3;

  const ActivationDef* activation = nullptr;  ///< of the catalogue; null: there is none
  float alpha = 0;
  float beta = 0;
  bool bias = false;
  bool residual = false;

  bool operator==(const Epilogue&) const = default;

  /// The same with no activation.
  Epilogue plain() const { return {.bias = bias, .residual = residual}; }

  bool is_relu() const { return activation != nullptr && activation->name == "relu"; }

  /// The activation of one number in the compute type.
  template <class C>
  C activate(C x) const;
};

/// The attributes that an operator with an epilogue adds to its own.
std::vector<AttributeDef> with_epilogue_attributes(std::vector<AttributeDef> own);

/// The activation. Throws Model if it is not known or one of its numbers is NaN.
Epilogue read_epilogue(const Attributes& attributes);
/// The whole epilogue. Throws as well if the elements are integers and the activation is not
/// defined on them (Unsupported).
Epilogue read_epilogue(const OpCall& call);
/// The axis of a node's output that its weights and bias run along; nothing if it has none.
std::optional<std::size_t> weight_axis(const Graph& graph, const Node& node);

/// An activation as a node of its own: the operator, its attributes and, of Clip, its bounds, which
/// are inputs.
struct ActivationNode {
  std::string_view op;
  Attributes attributes;
  std::optional<float> low = {};
  std::optional<float> high = {};
};
/// What the epilogue of these attributes activates with; nothing if there is no activation.
std::optional<ActivationNode> activation_node(const Attributes& attributes);

/// The names that the attribute `activation` may have.
std::vector<std::string> activation_names();

/// Checks that a residual, if there is one, has the output's type.
void check_residual(const OpCall& call, const TensorType& output);

/// Operations of the epilogue per output element.
double epilogue_flops(const OpCall& call);

/// The epilogue of an operator that has the activation alone.
Epilogue read_activation(const OpCall& call);

/// Whether a node does more than ONNX's operator of that name.
bool has_epilogue(const Node& node);
/// The same in the form that an OpDef wants: no opset has epilogues.
inline bool has_epilogue_in(const Node& node, int /*opset*/) { return has_epilogue(node); }
/// The node as ONNX's own operator, then Add and activation nodes, in operators that opset 13 has.
GraphEdit expand_epilogue(const Graph& graph, NodeId id);

/// The nearest number of an integer type; `x` is not NaN.
template <class C>
C saturated(double x) {
  using Limits = std::numeric_limits<C>;
  if (x <= static_cast<double>(Limits::lowest())) return Limits::lowest();
  if (x >= static_cast<double>(Limits::max())) return Limits::max();
  return static_cast<C>(x);
}

template <class C>
C Epilogue::activate(C x) const {
  if (activation == nullptr) return x;
  if constexpr (std::is_floating_point_v<C>) {
    return static_cast<C>(activation->of(static_cast<double>(x), alpha, beta));
  } else {
    require(activation->on_integers, "an activation that is not defined on integers");
    const C lowest = is_relu() ? C(0) : saturated<C>(std::ceil(alpha));
    const C raised = x < lowest ? lowest : x;
    if (is_relu()) return raised;
    const C highest = saturated<C>(std::floor(beta));
    return raised > highest ? highest : raised;
  }
}

}  // namespace braid
