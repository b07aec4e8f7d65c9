#pragma once

#include <string_view>

#include "graph/graph.h"

namespace braid::autograph_table {

/// The nodes whose names begin so, as a graph of their own: what they read from others becomes an
/// input, and what others read from them an output.
Graph cut_out(const Graph& graph, std::string_view beginning);

}  // namespace braid::autograph_table
