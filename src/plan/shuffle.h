#pragma once

#include <cstdint>

#include "graph/graph.h"
#include "plan/plan.h"

namespace braid {

/// The same steps on the same streams in the same bytes, in another order that is as good: one in
/// which every step still finds what it reads and disturbs nobody. The waits follow from the order.
/// For runs that look for mistakes: whatever the seed, the outputs have the same bits.
///
/// The Plan is one that passes verify(); so does the result.
Plan shuffled(const Graph& graph, const Plan& plan, std::uint64_t seed);

}  // namespace braid
