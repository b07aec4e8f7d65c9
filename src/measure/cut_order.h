#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "graph/graph.h"

namespace braid {

/// A cut by which the parts of a node are faster than by the one that its kernel puts first.
struct FasterCut {
  std::string node;  ///< signature of the whole nodes (cost/signature.h)
  Cut cut;

  bool operator==(const FasterCut&) const = default;
};

/// The lowered graph in which the cut at that place comes first among those of every node that has
/// so many.
Graph with_cut_first(Graph lowered, std::size_t place);

/// The lowered graph in which the faster cuts come first.
Graph with_faster_cuts(Graph lowered, std::span<const FasterCut> faster);

}  // namespace braid
