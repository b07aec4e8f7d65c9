#pragma once

#include <vector>

#include "graph/graph.h"
#include "plan/plan.h"
#include "sim/engine.h"
#include "sim/kernels.h"

namespace braid::sim {

/// What a Plan hands to a GPU, in launch order, and the step that each launch belongs to. A step
/// without kernels launches nothing: whoever waits for it waits for what came before it.
struct PlanLaunches {
  std::vector<Launch> launches;
  std::vector<StepRef> steps;
};

/// The Plan is one that passes verify() for the graph and cuts no node. Weights count as warm if
/// all of them fit in half of L2.
PlanLaunches launches_of(const GpuSpec& gpu, const Graph& lowered, const Plan& plan,
                         KernelOptions options = {});

}  // namespace braid::sim
