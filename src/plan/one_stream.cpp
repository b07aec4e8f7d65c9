#include "plan/one_stream.h"

#include "graph/hash.h"
#include "graph/order.h"
#include "plan/memory.h"

namespace braid {

Plan one_stream(const Graph& graph, std::string device) {
  return one_stream(graph, std::move(device), topological_order(graph));
}

Plan one_stream(const Graph& graph, std::string device, const std::vector<NodeId>& order) {
  Plan plan;
  plan.graph = hash(graph, HashWeights::TypesOnly);
  plan.device = std::move(device);
  plan.scheduler = "sequential";
  plan.streams.resize(1);
  for (NodeId node : order) {
    Step step;
    step.node = node;
    plan.streams[0].push_back(std::move(step));
  }
  place(graph, plan);
  return plan;
}

}  // namespace braid
