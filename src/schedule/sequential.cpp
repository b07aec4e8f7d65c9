#include "graph/hash.h"
#include "graph/order.h"
#include "plan/memory.h"
#include "schedule/schedulers.h"

namespace braid {

Plan sequential(const Graph& graph, const CostModel& /*costs*/, const DeviceSpec& device,
                const ScheduleOptions& /*options*/) {
  Plan plan;
  plan.graph = hash(graph, HashWeights::TypesOnly);
  plan.device = device.name;
  plan.scheduler = "sequential";
  plan.streams.resize(1);
  for (NodeId node : topological_order(graph)) {
    Step step;
    step.node = node;
    plan.streams[0].push_back(std::move(step));
  }
  place(graph, plan);
  return plan;
}

}  // namespace braid
