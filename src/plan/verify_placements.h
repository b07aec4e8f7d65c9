#pragma once

#include <vector>

#include "graph/graph.h"
#include "plan/plan.h"
#include "plan/view.h"

namespace braid {

/// The part of verify() that looks at each place alone: every value that lives in the arena has
/// one, inside it and aligned, and so has scratch; what `links` join lies together.
void check_placements(const Graph& graph, const Plan& plan, const std::vector<ViewLink>& links);

}  // namespace braid
