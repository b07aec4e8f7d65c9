#pragma once

#include <cstdint>
#include <limits>

namespace braid::cpu {

/// One step of one sequence in a recurrent network, from the sums of its gates on: what is left to
/// do for each cell by itself. The sums of a gate follow those of the gate before it, `hidden` of
/// each, in the order of ONNX. Nothing that is written overlaps anything else.
struct CellStep {
  std::int64_t hidden = 0;
  float limit = std::numeric_limits<float>::infinity();  ///< sums are clipped to ± this
  const float* from_input = nullptr;                     ///< X W^T + bias
  const float* from_state = nullptr;                     ///< H R^T + bias
  float* h = nullptr;                                    ///< becomes the next state
};

/// h = tanh(sums)
void run_rnn_cells(const CellStep& step);

struct LstmCells {
  float* c = nullptr;                ///< becomes the next cell state
  const float* peepholes = nullptr;  ///< of the gates i, o, f; null: none
  bool input_forget = false;         ///< f = 1 - i
};
/// c = f c + i tanh(sums), h = o tanh(c) with the gates i, o, f, which are sigmoids.
void run_lstm_cells(const CellStep& step, const LstmCells& cells);

/// The gates of a GRU, which are sigmoids: `update`, and `reset` of each element of `of`, which is
/// the state, or what the state gives to the sums of the candidates.
struct GruGates {
  float* update = nullptr;
  const float* of = nullptr;
  float* reset = nullptr;
};
void run_gru_gates(const CellStep& step, const GruGates& gates);

/// h = (1 - update) tanh(sums) + update h, where `candidates` is what the state gives to the sums;
/// `from_state` is not read.
void run_gru_cells(const CellStep& step, const float* update, const float* candidates);

}  // namespace braid::cpu
