#include "device/device.h"

#include "graph/verify.h"

namespace braid {

Lowered Device::lower(const Graph& graph, const LowerOptions& options) const {
  const std::vector<RewriteStep> steps = enabled_steps(lowering_steps(), options.disabled);
  Lowered lowered{graph};
  Allowance allowance = allowance_of(graph);
  for (const RewriteStep& step : steps)
    lowered.steps.push_back(run_step(step, lowered.graph, allowance));
  lowered.graph = lower_nodes(lowered.graph, options);
  verify(lowered.graph);
  return lowered;
}

Graph Device::lower(const Graph& graph, const CostModel& costs) const {
  return lower(graph, LowerOptions{costs}).graph;
}

std::unique_ptr<Judge> Device::judge(const Graph& lowered, const CostModel& costs,
                                     const DeviceSpec& spec) const {
  return lane_judge(lowered, costs, spec);
}

}  // namespace braid
