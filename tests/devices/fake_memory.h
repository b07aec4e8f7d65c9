#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <braid/tensor.h>

#include "graph/graph.h"
#include "plan/plan.h"
#include "plan/region.h"

namespace braid {

/// The bytes of one run on a fake device: the arena, and the tensors of graph inputs, constants and
/// graph outputs. Whatever was not written yet holds garbage. The graph and the Plan outlive it.
class FakeMemory {
 public:
  FakeMemory(const Graph& lowered, const Plan& plan, std::span<const Tensor> inputs,
             std::byte garbage);

  /// A value as it lies there now.
  Tensor read(ValueId id) const;
  /// Takes the step's part from the whole value.
  void write(const Step& step, ValueId id, const Tensor& whole);
  /// Overwrites what the step is going to write.
  void spoil(const Step& step);
  std::vector<Tensor> outputs() const;

 private:
  Placement placement(ValueId id) const;
  std::byte* begin_of(ValueId id);
  const std::byte* begin_of(ValueId id) const;

  const Graph& graph_;
  const Plan& plan_;
  std::byte garbage_;
  std::vector<std::byte> arena_;
  std::vector<Tensor> own_;  // by value id: what does not live in the arena
};

}  // namespace braid
