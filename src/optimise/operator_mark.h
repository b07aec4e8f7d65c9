#pragma once

#include <cstdint>

#include "graph/graph.h"

namespace braid {

/// A number for the operators of a graph with their attributes and types, wherever they stand: the
/// marks of a graph's pieces add up to its own. Of graphs with the same mark, a search keeps one,
/// so that it does not give back one idea at many equal places.
std::uint64_t operator_mark(const Graph& graph);

}  // namespace braid
