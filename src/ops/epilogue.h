#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "ops/op.h"
#include "tensor/element.h"

namespace braid {

enum class Activation {
  None,
  Relu,
  LeakyRelu,  ///< alpha: slope below zero
  Elu,        ///< alpha
  Clip,       ///< alpha: lowest, beta: highest
  Sigmoid,
  HardSigmoid,  ///< clip(alpha * x + beta, 0, 1)
  HardSwish,    ///< x * clip(x / 6 + 1/2, 0, 1)
  Silu,         ///< x * sigmoid(x)
  Tanh,
  Gelu,      ///< exact, with erf
  GeluTanh,  ///< the approximation with tanh
};

/// What a Conv, Gemm or MatMul does to its result before writing it:
///     activation(result + bias + residual)
/// BatchNormalization has the activation alone.
/// Written as the attributes `activation` (the name in lower case), `activation_alpha` and
/// `activation_beta`, and the optional input `residual`, which has the output's type. The bias is
/// an input of ONNX's own for Conv and Gemm, and ours for MatMul.
struct Epilogue {
  static constexpr std::size_t kBiasInput = 2;
  static constexpr std::size_t kResidualInput = 3;

  Activation activation = Activation::None;
  float alpha = 0;
  float beta = 0;
  bool bias = false;
  bool residual = false;

  bool operator==(const Epilogue&) const = default;

  /// The activation of one number in the compute type.
  template <class C>
  C activate(C x) const;
};

/// The attributes that an operator with an epilogue adds to its own.
std::vector<AttributeDef> with_epilogue_attributes(std::vector<AttributeDef> own);

/// Throws Model if the activation is not known, or Unsupported if it is not defined on integers and
/// the elements are.
Epilogue read_epilogue(const Attributes& attributes);
Epilogue read_epilogue(const OpCall& call);
/// "relu", "leakyrelu", …; empty for none.
std::string_view name(Activation activation);

/// Checks that a residual, if there is one, has the output's type.
void check_residual(const OpCall& call, const TensorType& output);

/// Operations per output element.
double epilogue_flops(const OpCall& call);

/// Of an operator that has the activation alone.
Epilogue read_activation(const OpCall& call);

/// Whether a node does more than ONNX's operator of that name.
bool has_epilogue(const Node& node);
/// The same as an OpDef wants it: no opset has epilogues.
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
  // NaN stays NaN: comparisons are written so that they keep x.
  if (activation == Activation::None) return x;
  if (activation == Activation::Relu) return x < C(0) ? C(0) : x;
  if (activation == Activation::Clip) {
    if constexpr (std::is_floating_point_v<C>) {
      const C raised = x < C(alpha) ? C(alpha) : x;
      return raised > C(beta) ? C(beta) : raised;
    } else {
      const C lowest = saturated<C>(std::ceil(alpha));
      const C highest = saturated<C>(std::floor(beta));
      const C raised = x < lowest ? lowest : x;
      return raised > highest ? highest : raised;
    }
  }
  if constexpr (std::is_floating_point_v<C>) {
    const auto sigmoid = [](C v) { return C(1) / (C(1) + std::exp(-v)); };
    const auto unit = [](C v) { return v < C(0) ? C(0) : v > C(1) ? C(1) : v; };
    switch (activation) {
      case Activation::LeakyRelu:
        return x < C(0) ? C(alpha) * x : x;
      case Activation::Elu:
        return x < C(0) ? C(alpha) * std::expm1(x) : x;
      case Activation::Sigmoid:
        return sigmoid(x);
      case Activation::HardSigmoid:
        return unit(C(alpha) * x + C(beta));
      case Activation::HardSwish:
        return x * unit(x / C(6) + C(0.5));
      case Activation::Silu:
        return x * sigmoid(x);
      case Activation::Tanh:
        return std::tanh(x);
      case Activation::Gelu:
        return C(0.5) * x * (C(1) + std::erf(x / std::sqrt(C(2))));
      case Activation::GeluTanh:
        return C(0.5) * x *
               (C(1) + std::tanh(C(0.7978845608028654) * (x + C(0.044715) * x * x * x)));
      default:
        break;
    }
  }
  raise(ErrorKind::Internal, "an activation that is not defined on integers");
}

}  // namespace braid
