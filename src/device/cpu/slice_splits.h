#pragma once

#include "graph/graph.h"

namespace braid::cpu {

/// Writes every Split as a Slice for each of its outputs: these have kernels, can be cut, and run
/// side by side.
Graph slice_splits(Graph graph);

}  // namespace braid::cpu
