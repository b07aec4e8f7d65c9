#include "device/sim/gpu_costs.h"

#include <algorithm>

#include "base/error.h"

namespace braid::sim {
namespace {

/// The part of the SMs' room that the kernel fills while it runs.
double filled_share(const GpuSpec& gpu, const Kernel& kernel) {
  const double room = static_cast<double>(gpu.sms) * occupancy(gpu, kernel);
  return std::min(1.0, static_cast<double>(kernel.blocks) / room);
}

}  // namespace

Cost GpuCosts::cost(const Graph& graph, NodeId node, int parts) const {
  require(parts == 1, "a GPU runs nodes uncut");
  Cost cost;
  double longest_us = -1;
  double bytes = 0;
  const GpuSpec& gpu = ways_->gpu();
  const auto ways = ways_->of(graph, node, ways_->options().warm_weights);
  for (const Kernel& kernel : ways->front()) {
    const double us = solo_us(gpu, kernel);
    cost.time_us += us + gpu.costs.edge_us;
    cost.compute_share += us * filled_share(gpu, kernel);
    bytes += kernel.dram_bytes * static_cast<double>(kernel.blocks);
    if (us <= longest_us) continue;
    longest_us = us;
    cost.launch = {kernel.blocks, kernel.threads, kernel.registers, kernel.shared_bytes};
  }
  if (cost.time_us <= 0) return cost;
  cost.compute_share = std::min(1.0, cost.compute_share / cost.time_us);
  cost.bandwidth_share = std::min(1.0, bytes / (cost.time_us * gpu.dram_bytes_per_us));
  // Beside a stream that reads as fast as it can, half of the bandwidth is left.
  cost.time_beside_us = cost.time_us * std::max(1.0, 2 * cost.bandwidth_share);
  return cost;
}

}  // namespace braid::sim
