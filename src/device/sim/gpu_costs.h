#pragma once

#include "cost/cost_model.h"
#include "sim/kernels.h"

namespace braid::sim {

/// The nominal model's costs of nodes: their kernels one after another, alone on the device.
class GpuCosts : public CostModel {
 public:
  GpuCosts(GpuSpec gpu, KernelOptions options) : gpu_(std::move(gpu)), options_(options) {}

  /// `parts` must be 1: a GPU runs nodes uncut.
  Cost cost(const Graph& graph, NodeId node, int parts = 1) const override;

 private:
  GpuSpec gpu_;
  KernelOptions options_;
};

}  // namespace braid::sim
