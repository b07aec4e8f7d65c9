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

/// The kernels of every node of a graph, by its id. Weights count as warm if all of them fit in
/// half of L2.
using NodeKernels = std::vector<std::vector<Kernel>>;
NodeKernels node_kernels(const GpuSpec& gpu, const Graph& lowered, KernelOptions options = {});

/// The kernels are those of the graph that the Plan is for, and the Plan cuts no node.
PlanLaunches launches_of(const NodeKernels& kernels, const Plan& plan);

}  // namespace braid::sim
