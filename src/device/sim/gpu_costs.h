#pragma once

#include "cost/cost_model.h"
#include "sim/known_ways.h"

namespace braid::sim {

/// The nominal model's costs of nodes: their kernels one after another, alone on the device.
class GpuCosts : public CostModel {
 public:
  explicit GpuCosts(std::shared_ptr<KnownWays> ways) : ways_(std::move(ways)) {}

  /// `parts` must be 1: a GPU runs nodes uncut.
  Cost cost(const Graph& graph, NodeId node, int parts = 1) const override;

 private:
  std::shared_ptr<KnownWays> ways_;
};

}  // namespace braid::sim
