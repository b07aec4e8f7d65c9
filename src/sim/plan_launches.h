#pragma once

#include <vector>

#include "graph/graph.h"
#include "plan/plan.h"
#include "sim/engine.h"
#include "sim/kernels.h"
#include "sim/known_ways.h"

namespace braid::sim {

/// The kernels of every way to run every node of a graph. Weights count as warm if all of them fit
/// in half of L2.
struct NodeKernels {
  std::vector<Kernel> kernels;
  std::vector<std::int32_t> first;  ///< kernel of each way, and one more
  std::vector<std::int32_t> ways;   ///< the first way of each node by its id, and one more
};
/// The options with `warm_weights` set if all weights fit in half of L2.
KernelOptions options_for(const GpuSpec& gpu, const Graph& graph, KernelOptions options);
/// Whether they do.
bool weights_fit(const GpuSpec& gpu, const Graph& graph);
/// In a draw the first way of a node is what the library is thought to choose there; the others,
/// which a Plan may name, stay those of the nominal model.
NodeKernels node_kernels(KnownWays& known, const Graph& lowered, int draw = 0);
NodeKernels node_kernels(const GpuSpec& gpu, const Graph& lowered,
                         const KernelOptions& options = {});

/// What a Plan hands to a GPU, in launch order, and the step that each launch belongs to. A step
/// without kernels launches nothing: what waits for it waits for what came before it.
struct PlanSlots {
  Slots slots;  ///< of kernels as NodeKernels numbers them
  std::vector<StepRef> steps;
};

/// The kernels are those of the graph that the Plan is for, and the Plan cuts no node.
PlanSlots slots_of(const NodeKernels& kernels, const Plan& plan);
std::vector<Launch> launches_of(const NodeKernels& kernels, const Slots& slots);

}  // namespace braid::sim
