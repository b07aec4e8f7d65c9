#pragma once

#include <vector>

#include "cost/cost_model.h"

namespace braid {

/// What the nodes of one graph cost uncut. Another model, which must outlive this one, is asked
/// once, so that schedulers can ask as often as they like. For parts it is asked each time.
class NodeCosts : public CostModel {
 public:
  NodeCosts(const Graph& graph, const CostModel& costs);

  /// The cost of a node of the graph that was given before.
  Cost cost(const Graph& graph, NodeId node, int parts = 1) const override;

 private:
  const CostModel& costs_;
  std::vector<Cost> whole_;  // by node id
};

}  // namespace braid
