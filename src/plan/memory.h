#pragma once

#include "graph/graph.h"
#include "plan/plan.h"

namespace braid {

/// Gives every value that lives in the arena its place and every step its scratch, and says how
/// large the arena is. Two values share bytes only if the streams and waits of the Plan order all
/// uses of one before all uses of the other; values joined by views share one buffer. Streams and
/// waits stay as they are; what was placed before is forgotten.
///
/// Throws Unsupported, naming the node, if the views of the graph contradict one another (a value
/// would have to lie in two buffers), Quota if the arena is too large, and what HappensBefore
/// throws.
void place(const Graph& graph, Plan& plan);

}  // namespace braid
