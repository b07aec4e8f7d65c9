#include "cost/node_costs.h"

namespace braid {

NodeCosts::NodeCosts(const Graph& graph, const CostModel& costs)
    : costs_(costs), whole_(graph.node_limit()) {
  for (NodeId node : graph.node_ids()) whole_[node.at()] = costs.cost(graph, node);
}

Cost NodeCosts::cost(const Graph& graph, NodeId node, int parts) const {
  return parts == 1 ? whole_[node.at()] : costs_.cost(graph, node, parts);
}

}  // namespace braid
