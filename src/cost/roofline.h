#pragma once

#include "cost/cost_model.h"

namespace braid {

/// What a node costs at least by its arithmetic and its bytes: the larger of the two times on one
/// stream, plus the launch.
class RooflineCosts : public CostModel {
 public:
  explicit RooflineCosts(DeviceSpec spec) : spec_(std::move(spec)) {}

  Cost cost(const Graph& graph, NodeId node, int parts = 1) const override;

 private:
  DeviceSpec spec_;
};

}  // namespace braid
