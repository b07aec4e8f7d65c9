#pragma once

#include <string>
#include <vector>

#include <braid/tensor.h>

#include "device/cpu/kernel.h"
#include "plan/plan.h"

namespace braid::cpu {

/// Where an operand is, as far as it is known before the run.
struct Place {
  enum class Kind { Absent, Arena, Constant, Input, Output };

  Kind kind = Kind::Absent;
  std::int64_t position = 0;  ///< an offset in the arena, or an index
};

struct RunStep {
  Kernel kernel;
  std::vector<Place> inputs;
  std::vector<Place> outputs;
  std::int64_t scratch_offset = 0;
  std::string name;
  std::string op;
};

/// A Plan with its kernels: everything that a run reads and nobody writes any more.
struct Script {
  std::vector<RunStep> steps;
  std::vector<Tensor> constants;
  std::vector<TensorType> input_types;
  std::vector<TensorType> produced;  ///< graph outputs that a step writes
  std::vector<Place> outputs;        ///< one per graph output: Output, Constant or Input
};

/// Throws Model if the plan does not belong to the graph, Device if this machine has not the
/// implementations that the graph was lowered to.
Script write_script(const Graph& lowered, const Plan& plan);

}  // namespace braid::cpu
