#pragma once

#include <vector>

#include "cost/cost_model.h"

namespace braid {

/// What the nodes of one graph cost whole, asked of another model once, so that schedulers can ask
/// as often as they like. Parts are asked of the other model, which must outlive it.
class NodeCosts : public CostModel {
 public:
  NodeCosts(const Graph& graph, const CostModel& costs);

  /// The graph is the one given before.
  Cost cost(const Graph& graph, NodeId node, int parts = 1) const override;

 private:
  const CostModel& costs_;
  std::vector<Cost> whole_;  // by node id
};

}  // namespace braid
