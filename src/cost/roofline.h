#pragma once

#include "cost/cost_model.h"

namespace braid {

/// Costs from a node's work and a device's peak rates: the time that arithmetic or memory needs,
/// whichever is longer, plus the launch. A node cut into parts shares its arithmetic, its outputs
/// and its inputs among them, but every part reads all constants, unless the cut goes along the
/// axis of the weights. A streaming neighbour takes half of the device's bandwidth if a stream can
/// draw that much. Views cost nothing.
class RooflineCostModel : public CostModel {
 public:
  explicit RooflineCostModel(DeviceSpec device) : device_(std::move(device)) {}

  Cost cost(const Graph& graph, NodeId node, int parts = 1) const override;

 private:
  DeviceSpec device_;
};

}  // namespace braid
