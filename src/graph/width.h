#pragma once

#include "graph/order.h"

namespace braid {

/// The largest number of counted nodes of which none depends on another: the most that could ever
/// run side by side. By Dilworth's theorem it is the least number of paths that cover the counted
/// nodes; found as a minimum flow, so no transitive closure is built.
std::int64_t width(const Graph& graph, const NodeFilter& counts);

}  // namespace braid
