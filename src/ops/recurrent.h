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

  bool runs_backwards(std::int64_t direction) const { return reverse || direction == 1; }
  /// The rows of X, of Y, and of states at the beginning and end, that belong to a sequence.
  std::int64_t input_row(std::int64_t step, std::int64_t sequence) const {
    return batch_first ? sequence * steps + step : step * batch + sequence;
  }
  std::int64_t output_row(std::int64_t step, std::int64_t direction, std::int64_t sequence) const {
    return batch_first ? (sequence * steps + step) * directions + direction
                       : (step * directions + direction) * batch + sequence;
  }
  std::int64_t state_row(std::int64_t direction, std::int64_t sequence) const {
    return batch_first ? sequence * directions + direction : direction * batch + sequence;
  }
  /// The steps of a sequence by the elements of sequence_lens; null: all have the same. Throws
  /// Model if there are not as many.
  std::int64_t length_of(std::int64_t sequence, const std::int32_t* sequence_lens) const;
};

/// Throws Model, saying what does not fit.
RecurrentGeometry recurrent_geometry(const OpCall& call);

}  // namespace braid
