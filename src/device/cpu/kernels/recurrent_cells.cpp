#include "device/cpu/kernels/recurrent_cells.h"

#include "device/cpu/kernels/vector_math.h"
#include "device/cpu/machine/isa.h"

/// The loops say that nothing overlaps: compilers would look at so many pairs of pointers that they
/// give up.

namespace braid::cpu {
namespace {

[[gnu::always_inline]] inline float sigmoid_within(float sum, float limit) {
  return logistic(clamp(sum, -limit, limit));
}
[[gnu::always_inline]] inline float tanh_within(float sum, float limit) {
  return hyperbolic_tangent(clamp(sum, -limit, limit));
}

template <bool Peepholes, bool InputForget>
[[gnu::always_inline]] inline void lstm_cells(const CellStep& step, const LstmCells& cells) {
  const std::int64_t hidden = step.hidden;
  const float limit = step.limit;
  const float* x = step.from_input;
  const float* s = step.from_state;
  const float* p = cells.peepholes;
  float* h = step.h;
  float* c = cells.c;
#pragma GCC ivdep
  for (std::int64_t j = 0; j < hidden; ++j) {
    const std::int64_t out_at = hidden + j;
    const std::int64_t forget_at = 2 * hidden + j;
    const std::int64_t cell_at = 3 * hidden + j;
    const float before = c[j];
    const float in_sees = Peepholes ? p[j] * before : 0;
    const float in = sigmoid_within(x[j] + s[j] + in_sees, limit);
    float forget = 1 - in;
    if constexpr (!InputForget) {
      const float forget_sees = Peepholes ? p[forget_at] * before : 0;
      forget = sigmoid_within(x[forget_at] + s[forget_at] + forget_sees, limit);
    }
    const float cell = forget * before + in * tanh_within(x[cell_at] + s[cell_at], limit);
    const float out_sees = Peepholes ? p[out_at] * cell : 0;
    const float out = sigmoid_within(x[out_at] + s[out_at] + out_sees, limit);
    c[j] = cell;
    h[j] = out * hyperbolic_tangent(cell);
  }
}

template <bool Peepholes, bool InputForget>
void run_lstm(const CellStep& step, const LstmCells& cells) {
  on_best_isa(
      [&]() __attribute__((always_inline)) { lstm_cells<Peepholes, InputForget>(step, cells); });
}

}  // namespace

void run_rnn_cells(const CellStep& step) {
  on_best_isa([&]() __attribute__((always_inline)) {
    const float limit = step.limit;
    const std::int64_t hidden = step.hidden;
    const float* x = step.from_input;
    const float* s = step.from_state;
    float* h = step.h;
#pragma GCC ivdep
    for (std::int64_t j = 0; j < hidden; ++j) h[j] = tanh_within(x[j] + s[j], limit);
  });
}

void run_lstm_cells(const CellStep& step, const LstmCells& cells) {
  if (cells.peepholes != nullptr)
    return cells.input_forget ? run_lstm<true, true>(step, cells)
                              : run_lstm<true, false>(step, cells);
  return cells.input_forget ? run_lstm<false, true>(step, cells)
                            : run_lstm<false, false>(step, cells);
}

void run_gru_gates(const CellStep& step, const GruGates& gates) {
  on_best_isa([&]() __attribute__((always_inline)) {
    const float limit = step.limit;
    const std::int64_t hidden = step.hidden;
    const float* x = step.from_input;
    const float* s = step.from_state;
    const float* of = gates.of;
    float* update = gates.update;
    float* reset = gates.reset;
#pragma GCC ivdep
    for (std::int64_t j = 0; j < hidden; ++j) {
      update[j] = sigmoid_within(x[j] + s[j], limit);
      reset[j] = sigmoid_within(x[hidden + j] + s[hidden + j], limit) * of[j];
    }
  });
}

void run_gru_cells(const CellStep& step, const float* update, const float* candidates) {
  on_best_isa([&]() __attribute__((always_inline)) {
    const float limit = step.limit;
    const std::int64_t hidden = step.hidden;
    const float* x = step.from_input + 2 * hidden;
    float* h = step.h;
#pragma GCC ivdep
    for (std::int64_t j = 0; j < hidden; ++j)
      h[j] = (1 - update[j]) * tanh_within(x[j] + candidates[j], limit) + update[j] * h[j];
  });
}

}  // namespace braid::cpu
