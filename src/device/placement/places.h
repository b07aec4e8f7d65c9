#pragma once

#include <string_view>
#include <vector>

#include <braid/tensor.h>

#include "device/placement/aligned_constants.h"
#include "plan/plan.h"

namespace braid {

/// Where an operand is, as far as it is known before the run.
struct Place {
  enum class Kind { Absent, Arena, Constant, Input, Output };

  Kind kind = Kind::Absent;
  std::int64_t position = 0;  ///< an offset in the arena, or an index
};

/// Where the values of a lowered graph are while a Plan runs:
///
///     graph inputs      the caller's tensors
///     graph outputs     tensors that are made for each run
///     constants         kept if a kernel reads them
///     all others        in the arena, where the Plan puts them
class Places {
 public:
  /// All outlive it. Throws Model if the plan was made for another graph or places a value outside
  /// its arena.
  Places(const Graph& lowered, const Plan& plan, AlignedConstants& aligned);

  /// Absent for an invalid id and for a constant that nothing has kept.
  Place of(ValueId id) const { return id.valid() ? places_[id.at()] : Place{}; }
  /// The place of a value that a kernel reads; a constant is kept.
  Place kept(ValueId id);
  /// The pitch with which a kernel writes the first output of the node; everything else it reads
  /// and writes must be dense. Throws Unsupported if the plan places something else.
  std::int64_t pitch(const Node& node, bool takes_pitch) const;
  /// Throws Model if these bytes are not in the arena, or not aligned.
  void check_range(std::int64_t offset, std::int64_t bytes, std::int64_t alignment) const;

  std::vector<Tensor> constants;         ///< those that are kept
  std::vector<TensorType> input_types;   ///< of the graph's inputs
  std::vector<TensorType> output_types;  ///< of the graph outputs that a step writes
  std::vector<Place> outputs;            ///< one per graph output: Output, Constant or Input

 private:
  Place in_arena(ValueId id) const;

  const Graph& graph_;
  const Plan& plan_;
  AlignedConstants& aligned_;
  std::vector<Place> places_;
};

}  // namespace braid
