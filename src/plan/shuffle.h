#pragma once

#include <cstdint>

#include "graph/graph.h"
#include "plan/plan.h"

namespace braid {

/// The same steps on the same streams in the same bytes, in another order that is as good: every
/// step still finds what it reads and disturbs no other. The waits follow from the order. For runs
/// that look for mistakes: the outputs have the same bits with every seed.
///
/// The Plan is one that passes verify(); so does the result.
Plan shuffled(const Graph& graph, const Plan& plan, std::uint64_t seed);

}  // namespace braid
