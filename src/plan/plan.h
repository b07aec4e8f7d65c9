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
  Cut cut;                           ///< meaningful if parts > 1
  std::vector<StepRef> waits;        ///< steps that must have ended before this one begins
  std::int64_t scratch_offset = -1;  ///< of the step's scratch in the arena; -1 if it has none
  std::int32_t launch = 0;           ///< rank in the launch order (plan/launch_order.h)
  /// Devices with priorities begin the greatest first among steps that are ready at once.
  std::int32_t priority = 0;
  /// The device's way to run the node, as an index (Device::ways()); 0: the one that the node was
  /// lowered to.
  std::int32_t way = 0;

  bool operator==(const Step&) const = default;
};

/// The place of a value. Values that nodes produce live in the arena; graph inputs, constants and
/// graph outputs live in memory of their own.
struct Placement {
  std::int64_t offset = -1;           ///< in the arena; -1: not there
  std::vector<std::int64_t> strides;  ///< in bytes, one per dimension; empty: dense in its layout

  bool operator==(const Placement&) const = default;
};

/// What runs where, in which order, waiting for what, in which bytes. A plain value: printed,
/// saved, loaded (plan/json.h) and checked (plan/verify.h) on its own. It belongs to one lowered
/// graph, known by its hash without weights.
struct Plan {
  Hash128 graph;
  std::string device;
  std::string scheduler;
  std::vector<std::vector<Step>> streams;
  std::vector<Placement> placements;  ///< indexed by value id
  std::int64_t arena_bytes = 0;

  bool operator==(const Plan&) const = default;
};

/// Offsets of buffers in the arena are multiples of this.
inline constexpr std::int64_t kArenaAlignment = 64;

/// The elements [begin, end) along `cut.axis` that a part writes.
struct CutRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};
CutRange cut_range(const TensorType& output, const Cut& cut, int part, int parts);
/// The most parts into which a cut divides an output: its number of grains.
std::int64_t most_parts(const TensorType& output, const Cut& cut);

/// Whether a Plan places the value in its arena: produced by a node and not a graph output.
bool lives_in_arena(const Graph& graph, ValueId value);

inline const Step& step_at(const Plan& plan, StepRef ref) {
  return plan.streams[ref.stream.at()][static_cast<std::size_t>(ref.index)];
}
/// The steps of every node, by its id, in the order of streams.
std::vector<std::vector<StepRef>> steps_by_node(const Graph& graph, const Plan& plan);
/// "'conv_3' (Conv) at streams[0][7]": how messages call a step. Indices count from 0 as in the
/// JSON form.
std::string describe(const Graph& graph, const Plan& plan, StepRef ref);

}  // namespace braid
