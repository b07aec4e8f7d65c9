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
  for (const Kernel& kernel : kernels_of(gpu_, graph, node, options_)) {
    const double us = solo_us(gpu_, kernel);
    cost.time_us += us + gpu_.costs.edge_us;
    cost.compute_share += us * filled_share(gpu_, kernel);
    bytes += kernel.dram_bytes * static_cast<double>(kernel.blocks);
    if (us <= longest_us) continue;
    longest_us = us;
    cost.launch = {kernel.blocks, kernel.threads, kernel.registers, kernel.shared_bytes};
  }
  if (cost.time_us <= 0) return cost;
  cost.compute_share = std::min(1.0, cost.compute_share / cost.time_us);
  cost.bandwidth_share = std::min(1.0, bytes / (cost.time_us * gpu_.dram_bytes_per_us));
  // Beside a stream that reads as fast as it can, half of the bandwidth is left.
  cost.time_beside_us = cost.time_us * std::max(1.0, 2 * cost.bandwidth_share);
  return cost;
}

}  // namespace braid::sim
