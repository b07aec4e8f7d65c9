#include "sim/traffic.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "ops/call.h"

namespace braid::sim {

Traffic traffic_of(const Graph& graph, NodeId id) {
  const Work all = work(graph, id);
  double constants = 0;
  std::set<ValueId> seen;
  for (ValueId input : graph.node(id).inputs)
    if (input.valid() && graph.is_constant(input) && seen.insert(input).second)
      constants += static_cast<double>(byte_size(graph.value(input).type));
  Traffic traffic;
  // An operator that picks from a constant (Gather) reads less than all of it.
  traffic.weights = std::min(constants, static_cast<double>(all.bytes_read));
  traffic.activations = static_cast<double>(all.bytes_read) - traffic.weights +
                        static_cast<double>(all.bytes_written);
  return traffic;
}

double lost_share(const GpuSpec& gpu, double activation_bytes) {
  const double safe = 0.4 * static_cast<double>(gpu.l2_bytes);
  return std::clamp((activation_bytes - safe) / safe, 0.0, 1.0);
}

void set_bytes(const GpuSpec& gpu, const KernelOptions& options, const Traffic& traffic,
               Kernel& kernel) {
  const auto blocks = static_cast<double>(kernel.blocks);
  const double dram = traffic.activations * lost_share(gpu, traffic.activations) +
                      (options.warm_weights ? 0 : traffic.weights);
  kernel.dram_bytes = dram / blocks;
  kernel.l2_bytes = (traffic.activations + traffic.weights) / blocks;
}

Kernel memory_kernel(const GpuSpec& gpu, const KernelOptions& options, std::string_view family,
                     double items, int per_thread, const Traffic& traffic) {
  Kernel kernel = make_kernel(gpu, family, Pipe::Memory, 1);
  const double blocks = std::ceil(items / (static_cast<double>(kernel.threads) * per_thread));
  kernel.blocks = static_cast<std::int64_t>(std::clamp(blocks, 1.0, 2147483647.0));
  set_bytes(gpu, options, traffic, kernel);
  return kernel;
}

}  // namespace braid::sim
