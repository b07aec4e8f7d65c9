#pragma once

#include <optional>

#include "graph/graph.h"

namespace braid {

/// The axis of the Concat in whose output the only output of a node may be written; nothing if it
/// may not: something else reads it, or one of the two does not live in the arena.
std::optional<std::size_t> axis_of_join(const Graph& graph, const Node& node);

}  // namespace braid
