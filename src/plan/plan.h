#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/hash.h"
#include "graph/graph.h"

namespace braid {

using StreamId = Id<struct StreamTag>;

/// A step's place in a Plan: the `index`-th step of a stream.
struct StepRef {
  StreamId stream;
  std::int32_t index = 0;

  auto operator<=>(const StepRef&) const = default;
};

/// A node on a stream, or one part of a node that is cut. The parts of a node cut its first output
/// along `cut.axis` into `parts` ranges of whole grains, as equal as they get; part 0 comes first.
struct Step {
  NodeId node;
  std::int32_t part = 0;
  std::int32_t parts = 1;
  Cut cut;  ///< meaningful if parts > 1
  std::vector<StepRef>
      waits;  ///< steps of other streams that must have ended before this one begins
  std::int64_t scratch_offset = -1;  ///< of the node's scratch in the arena; -1 if it has none

  bool operator==(const Step&) const = default;
};

/// Where a value lives. Values that nodes produce live in the arena; graph inputs, constants and
/// graph outputs live in memory of their own.
struct Placement {
  std::int64_t offset = -1;           ///< in the arena; -1: not there
  std::vector<std::int64_t> strides;  ///< in bytes, one per dimension; empty: dense and row-major

  bool operator==(const Placement&) const = default;
};

/// Who runs where, in which order, waiting for what, in which bytes. A plain value: printed, saved,
/// loaded (plan/json.h) and checked (plan/verify.h) on its own. It belongs to one lowered graph,
/// known by its hash without weights.
struct Plan {
  Hash128 graph;
  std::string device;
  std::string scheduler;
  std::vector<std::vector<Step>> streams;
  std::vector<Placement> placements;  ///< indexed by value id
  std::int64_t arena_bytes = 0;

  bool operator==(const Plan&) const = default;
};

/// The elements [begin, end) along `cut.axis` that a part writes.
struct CutRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};
CutRange cut_range(const TensorType& output, const Cut& cut, int part, int parts);

/// True for values that a Plan places in its arena: produced by a node and not a graph output.
bool lives_in_arena(const Graph& graph, ValueId value);

}  // namespace braid
