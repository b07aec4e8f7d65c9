#pragma once

#include <span>
#include <string>

#include "device/device.h"

namespace braid {

/// A cut that a library was found to get wrong on this machine.
struct RefusedCut {
  std::string node;   ///< signature of the whole nodes (cost/signature.h)
  std::string parts;  ///< signature of the parts that were tried
  Cut cut;

  bool operator==(const RefusedCut&) const = default;
};

/// Runs a node of a lowered graph whole and in that many parts, on the same random inputs: whether
/// all outputs are the same, bit by bit but for those of NaNs. Throws what compiling or running
/// throws.
bool parts_give_the_whole(const Graph& lowered, NodeId node, int parts, const Device& device);

/// The lowered graph without the cuts that are refused.
Graph without_cuts(Graph lowered, std::span<const RefusedCut> refused);

}  // namespace braid
