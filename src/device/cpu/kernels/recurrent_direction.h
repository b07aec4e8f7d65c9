#pragma once

#include <limits>

#include <braid/tensor.h>

#include "device/cpu/kernels/kernel.h"
#include "device/cpu/kernels/recurrent_cells.h"
#include "ops/recurrent.h"
#include "plan/plan.h"

namespace braid::cpu {

/// What one direction of a network needs besides its arguments.
std::int64_t recurrent_scratch_bytes(const RecurrentGeometry& net);

/// One direction of a network. The product of the inputs of all steps with W comes first; then each
/// step multiplies the states of all sequences with R.
///
///     X  [steps x batch, inputs] x W^T    ->  from_input  [steps x batch, gates x hidden]
///     H  [batch, hidden]         x R^T    ->  from_state  [batch, gates x hidden], step by step
///
/// A GRU that resets the state before it is multiplied needs two products in a step: that of its
/// candidates waits for the other's gates.
class RecurrentDirection {
 public:
  /// Packs its part of W and R, which need not outlive this.
  RecurrentDirection(const RecurrentGeometry& net, const Tensor& weights, const Tensor& recurrence,
                     bool biased, std::int64_t direction);

  /// Writes the direction's part of all outputs that are asked for. Throws Model if a sequence is
  /// longer than there are steps.
  void run(const KernelArgs& args) const;

 private:
  struct Memory;

  Kernel product(const Tensor& matrices, bool biased, std::int64_t rows, CutRange columns) const;
  Memory memory_of(const KernelArgs& args) const;
  void start(const KernelArgs& args, const Memory& memory) const;
  void run_step(const Memory& memory, std::int64_t i) const;
  void run_gru_step(const Memory& memory, std::int64_t i) const;
  void finish(const KernelArgs& args, const Memory& memory) const;

  float* output_at(const Memory& memory, std::int64_t t, std::int64_t b) const;
  std::int64_t step_of(const Memory& memory, std::int64_t i, std::int64_t b) const;
  template <class Run>
  void for_running(const Memory& memory, std::int64_t i, const Run& run) const;

  RecurrentGeometry net_;
  std::int64_t direction_;
  bool resets_first_;
  std::int64_t columns_;
  std::int64_t state_columns_;  // of R, with which the state is multiplied as it is
  Kernel from_input_;
  Kernel from_state_;
  Kernel candidates_;  // if it resets first
  float limit_ = std::numeric_limits<float>::infinity();
};

}  // namespace braid::cpu
