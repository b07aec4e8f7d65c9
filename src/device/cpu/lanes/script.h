#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <braid/tensor.h>

#include "device/cpu/kernels/kernel_store.h"
#include "device/placement/places.h"
#include "plan/region.h"

namespace braid::cpu {

/// A wait until a lane has ended this many of its steps.
struct LaneWait {
  int lane = 0;
  std::uint32_t ended = 0;
};

struct RunStep {
  std::shared_ptr<const Kernel> kernel;  ///< null: a view, there is nothing to do
  std::vector<Place> inputs = {};
  std::vector<Place> outputs = {};
  std::int64_t scratch_offset = 0;
  std::int64_t pitch = 0;  ///< of the first output (KernelArgs)
  std::vector<LaneWait> waits = {};
  bool is_awaited = false;  ///< by a step of another lane
  std::string name = {};
  std::string op = {};
  std::string steps = {};  ///< of a Chain: its operators
  int part = 0;
  int parts = 1;
  std::int32_t node = -1;  ///< its id in the lowered graph
  std::int64_t scratch_bytes = 0;
  std::vector<ByteRange> freed = {};  ///< of the arena: nothing reads them after this step
};

/// A Plan with its kernels: everything that a run reads and nothing writes any more. A lane is a
/// stream of the Plan that has something to do; there is at least one.
struct Script {
  std::vector<RunStep> steps;      ///< lane after lane
  std::vector<std::size_t> first;  ///< of every lane its first step; one entry more than lanes
  std::vector<int> streams;        ///< of every lane, its number in the Plan
  std::vector<Tensor> constants;
  std::vector<TensorType> input_types;
  std::vector<TensorType> produced;  ///< graph outputs that a step writes
  std::vector<Place> outputs;        ///< one per graph output: Output, Constant or Input
  std::int64_t arena_bytes = 0;

  int lanes() const { return static_cast<int>(first.size()) - 1; }
};

/// Throws Model if the plan does not belong to the graph, and what the store throws.
Script write_script(const Graph& lowered, const Plan& plan, KernelStore& kernels);

}  // namespace braid::cpu
