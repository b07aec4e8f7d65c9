#include "device/cpu/kernels/recurrent_direction.h"

#include <algorithm>
#include <utility>

#include "base/checked.h"
#include "device/cpu/kernels/panel_way.h"

namespace braid::cpu {
namespace {

enum RecurrentInput : std::size_t {
  kSequences,
  kBiases = 3,
  kSequenceLengths,
  kInitialH,
  kInitialC,
  kPeepholes
};
enum RecurrentOutput : std::size_t { kEveryH, kLastH, kLastC };

const float* float_input(const KernelArgs& args, std::size_t i) {
  return i < args.inputs.size() ? args.in<float>(i) : nullptr;
}
float* float_output(const KernelArgs& args, std::size_t i) {
  return i < args.outputs.size() ? args.out<float>(i) : nullptr;
}

/// The parts of the scratch, in floats.
struct RecurrentScratch {
  std::int64_t from_input;  ///< what the inputs give to the gates, for all steps
  std::int64_t from_state;  ///< what the states give to the gates, for one step
  std::int64_t state;       ///< a number for every cell of every sequence

  explicit RecurrentScratch(const RecurrentGeometry& net)
      : from_input(
            checked_mul(checked_mul(net.steps, net.batch), checked_mul(net.gates, net.hidden))),
        from_state(checked_mul(net.batch, checked_mul(net.gates, net.hidden))),
        state(checked_mul(net.batch, net.hidden)) {}

  std::int64_t floats() const {
    return checked_add(checked_add(from_input, from_state), checked_mul(3, state));
  }
};

void multiply(const Kernel& product, const float* a, const float* bias, float* to) {
  const std::byte* const inputs[] = {reinterpret_cast<const std::byte*>(a), nullptr,
                                     reinterpret_cast<const std::byte*>(bias)};
  std::byte* const outputs[] = {reinterpret_cast<std::byte*>(to)};
  product({inputs, outputs});
}

}  // namespace

std::int64_t recurrent_scratch_bytes(const RecurrentGeometry& net) {
  return checked_mul(RecurrentScratch(net).floats(), sizeof(float));
}

/// Where things are in one call.
struct RecurrentDirection::Memory {
  const float* bias = nullptr;            ///< null: none
  const float* state_bias = nullptr;      ///< null: none
  const float* peepholes = nullptr;       ///< null: none
  const std::int32_t* lengths = nullptr;  ///< null: all steps
  float* from_input = nullptr;
  float* from_state = nullptr;
  float* h = nullptr;
  float* more = nullptr;    ///< cell states of an LSTM; what a GRU has reset
  float* update = nullptr;  ///< gates of a GRU
  float* y = nullptr;       ///< null: not asked for
};

RecurrentDirection::RecurrentDirection(const RecurrentGeometry& net, const Tensor& weights,
                                       const Tensor& recurrence, bool biased,
                                       std::int64_t direction)
    : net_(net),
      direction_(direction),
      resets_first_(net.gates == 3 && !net.linear_before_reset),
      columns_(net.gates * net.hidden),
      state_columns_(resets_first_ ? 2 * net.hidden : columns_),
      from_input_(product(weights, biased, net.steps * net.batch, {0, columns_})),
      from_state_(product(recurrence, biased, net.batch, {0, state_columns_})) {
  if (resets_first_)
    candidates_ = product(recurrence, biased, net.batch, {state_columns_, columns_});
  if (net.clip) limit_ = *net.clip;
}

/// With columns of the direction's own matrix.
Kernel RecurrentDirection::product(const Tensor& matrices, bool biased, std::int64_t rows,
                                   CutRange columns) const {
  const std::int64_t depth = matrices.dims()[2];
  const std::int64_t before = (direction_ * columns_ + columns.begin) * depth;
  PanelProductCall call;
  call.rows = rows;
  call.columns = columns.end - columns.begin;
  call.channels = depth;
  call.row_stride = depth;
  call.matrix =
      Tensor::borrow({ElementType::F32, {call.columns, depth}},
                     matrices.bytes().data() + before * std::int64_t{sizeof(float)}, nullptr);
  call.channel_stride = 1;
  call.column_stride = depth;
  call.epilogue.bias = biased;
  return make_panel_product(std::move(call));
}

RecurrentDirection::Memory RecurrentDirection::memory_of(const KernelArgs& args) const {
  Memory memory;
  if (const float* biases = float_input(args, kBiases); biases != nullptr) {
    memory.bias = biases + direction_ * 2 * columns_;
    memory.state_bias = memory.bias + columns_;
  }
  if (const float* all = float_input(args, kPeepholes); all != nullptr)
    memory.peepholes = all + direction_ * 3 * net_.hidden;
  if (args.inputs.size() > kSequenceLengths)
    memory.lengths = args.in<std::int32_t>(kSequenceLengths);
  const RecurrentScratch scratch(net_);
  memory.from_input = reinterpret_cast<float*>(args.scratch);
  memory.from_state = memory.from_input + scratch.from_input;
  memory.h = memory.from_state + scratch.from_state;
  memory.more = memory.h + scratch.state;
  memory.update = memory.more + scratch.state;
  memory.y = float_output(args, kEveryH);
  return memory;
}

void RecurrentDirection::run(const KernelArgs& args) const {
  const Memory memory = memory_of(args);
  std::int64_t longest = 0;
  for (std::int64_t b = 0; b < net_.batch; ++b)
    longest = std::max(longest, net_.length_of(b, memory.lengths));
  multiply(from_input_, float_input(args, kSequences), memory.bias, memory.from_input);
  start(args, memory);
  for (std::int64_t i = 0; i < longest; ++i) run_step(memory, i);
  finish(args, memory);
}

void RecurrentDirection::start(const KernelArgs& args, const Memory& memory) const {
  const auto read = [&](const float* initial, float* to) {
    for (std::int64_t b = 0; b < net_.batch; ++b, to += net_.hidden)
      if (initial == nullptr)
        std::fill_n(to, net_.hidden, 0.0F);
      else
        std::copy_n(initial + net_.state_row(direction_, b) * net_.hidden, net_.hidden, to);
  };
  read(float_input(args, kInitialH), memory.h);
  read(float_input(args, kInitialC), memory.more);
}

/// Sequences that have ended go through the products, too, but keep their state.
void RecurrentDirection::run_step(const Memory& memory, std::int64_t i) const {
  multiply(from_state_, memory.h, memory.state_bias, memory.from_state);
  if (net_.gates == 3)
    run_gru_step(memory, i);
  else
    for_running(memory, i, [&](std::int64_t b, const CellStep& step) {
      if (net_.gates == 1) return run_rnn_cells(step);
      run_lstm_cells(step, {.c = memory.more + b * net_.hidden,
                            .peepholes = memory.peepholes,
                            .input_forget = net_.input_forget});
    });
  if (memory.y == nullptr) return;
  for_running(memory, i, [&](std::int64_t b, const CellStep& step) {
    std::copy_n(step.h, net_.hidden, output_at(memory, step_of(memory, i, b), b));
  });
}

void RecurrentDirection::run_gru_step(const Memory& memory, std::int64_t i) const {
  const std::int64_t hidden = net_.hidden;
  for_running(memory, i, [&](std::int64_t b, const CellStep& step) {
    run_gru_gates(step, {.update = memory.update + b * hidden,
                         .of = resets_first_ ? step.h : step.from_state + 2 * hidden,
                         .reset = memory.more + b * hidden});
  });
  const float* given = memory.more;
  if (resets_first_) {
    float* to = memory.from_state + net_.batch * state_columns_;
    const float* bias = memory.state_bias != nullptr ? memory.state_bias + state_columns_ : nullptr;
    multiply(candidates_, memory.more, bias, to);
    given = to;
  }
  for_running(memory, i, [&](std::int64_t b, const CellStep& step) {
    run_gru_cells(step, memory.update + b * hidden, given + b * hidden);
  });
}

void RecurrentDirection::finish(const KernelArgs& args, const Memory& memory) const {
  const auto write = [&](const float* from, float* to) {
    if (to == nullptr) return;
    for (std::int64_t b = 0; b < net_.batch; ++b, from += net_.hidden)
      std::copy_n(from, net_.hidden, to + net_.state_row(direction_, b) * net_.hidden);
  };
  write(memory.h, float_output(args, kLastH));
  write(memory.more, float_output(args, kLastC));
  if (memory.y == nullptr) return;
  for (std::int64_t b = 0; b < net_.batch; ++b)
    for (std::int64_t t = net_.length_of(b, memory.lengths); t < net_.steps; ++t)
      std::fill_n(output_at(memory, t, b), net_.hidden, 0.0F);
}

float* RecurrentDirection::output_at(const Memory& memory, std::int64_t t, std::int64_t b) const {
  return memory.y + net_.output_row(t, direction_, b) * net_.hidden;
}

/// The step of X and Y that a sequence does as its i-th.
std::int64_t RecurrentDirection::step_of(const Memory& memory, std::int64_t i,
                                         std::int64_t b) const {
  return net_.runs_backwards(direction_) ? net_.length_of(b, memory.lengths) - 1 - i : i;
}

/// Calls `run` for every sequence that has an i-th step.
template <class Run>
void RecurrentDirection::for_running(const Memory& memory, std::int64_t i, const Run& run) const {
  for (std::int64_t b = 0; b < net_.batch; ++b) {
    if (i >= net_.length_of(b, memory.lengths)) continue;
    const std::int64_t row = net_.input_row(step_of(memory, i, b), b);
    run(b, CellStep{.hidden = net_.hidden,
                    .limit = limit_,
                    .from_input = memory.from_input + row * columns_,
                    .from_state = memory.from_state + b * state_columns_,
                    .h = memory.h + b * net_.hidden});
  }
}

}  // namespace braid::cpu
