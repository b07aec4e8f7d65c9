#pragma once

#include <optional>
#include <string>

#include "ops/op.h"

namespace braid {

/// An activation of a gate: Sigmoid, Tanh, … with the numbers it takes.
struct GateActivation {
  enum class Function {
    Relu,
    Tanh,
    Sigmoid,
    Affine,
    LeakyRelu,
    ThresholdedRelu,
    ScaledTanh,
    HardSigmoid,
    Elu,
    Softsign,
    Softplus
  };
  Function function = Function::Tanh;
  float alpha = 0;
  float beta = 0;

  double operator()(double x) const;
  bool operator==(const GateActivation&) const = default;
};

/// RNN, GRU or LSTM: what attributes and shapes say, checked.
struct RecurrentGeometry {
  std::int64_t steps = 0;
  std::int64_t batch = 0;
  std::int64_t inputs = 0;
  std::int64_t hidden = 0;
  std::int64_t gates = 1;  ///< RNN 1, GRU 3 (z, r, h), LSTM 4 (i, o, f, c)
  std::int64_t directions = 1;
  bool reverse = false;              ///< of the only direction; of two, the second is
  bool batch_first = false;          ///< layout = 1
  bool linear_before_reset = false;  ///< GRU
  bool input_forget = false;         ///< LSTM: the forget gate is 1 - the input gate
  std::optional<float> clip;
  /// The activations of each direction: f (RNN), f and g (GRU), or f, g and h (LSTM).
  std::vector<GateActivation> activations;

  bool operator==(const RecurrentGeometry&) const = default;
};

/// Throws Model, saying what does not fit.
RecurrentGeometry recurrent_geometry(const OpCall& call);

}  // namespace braid
