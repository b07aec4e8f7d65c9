#pragma once

#include "graph/quotas.h"
#include "plan/plan.h"

namespace braid {

/// Throws Quota, naming the largest value, if the arena and the inputs and outputs that live beside
/// it need more memory than the quotas allow.
void check_memory(const Graph& graph, const Plan& plan, const Quotas& quotas);

/// The same for the least that any Plan of a lowered graph needs: inputs and outputs, and beside
/// them what one operator reads and writes. So that nothing is measured of a model that cannot run.
void check_least_memory(const Graph& lowered, const Quotas& quotas);

}  // namespace braid
