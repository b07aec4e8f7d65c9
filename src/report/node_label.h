#pragma once

#include <string>

#include "graph/graph.h"

namespace braid {

/// How people call a node: by its name, or that of its first output if it has none. Safe to print.
std::string label(const Graph& graph, NodeId id);

}  // namespace braid
