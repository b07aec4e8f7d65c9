#pragma once

#include "graph/quotas.h"
#include "plan/plan.h"

namespace braid {

/// Throws Quota, naming the largest value, if the arena and the inputs and outputs that live beside
/// it need more memory than the quotas allow.
void check_memory(const Graph& graph, const Plan& plan, const Quotas& quotas);

}  // namespace braid
