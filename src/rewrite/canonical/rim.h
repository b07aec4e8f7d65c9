#pragma once

#include "graph/query.h"

namespace braid {

/// How many elements lie at the two ends of each spatial axis of a tensor [N,C,spatial...].
struct Rim {
  Dims begin;
  Dims end;

  bool is_zero() const;
  bool operator==(const Rim&) const = default;
};

/// What a Pad puts around the spatial axes. added_rim() gives nothing if it does anything else
/// (crops, reflects, touches batch or channels) or is not known before the model runs.
struct ConstantRim {
  Rim rim;
  double number = 0;
};
std::optional<ConstantRim> added_rim(const Graph& graph, const Node& pad);

/// What a Slice takes off the spatial axes; nothing if it does anything else.
std::optional<Rim> removed_rim(const Graph& graph, const Node& slice);

}  // namespace braid
