#pragma once

#include "graph/graph.h"
#include "plan/plan.h"

namespace braid {

/// Lets every step wait for the steps on other streams that write what it reads.
void add_data_waits(const Graph& graph, Plan& plan);

}  // namespace braid
