#pragma once

#include <array>
#include <cmath>
#include <span>
#include <string_view>

#include "sim/gpu_spec.h"

/// For tests: ways to make a GPU larger.

namespace braid::sim {

/// A figure, or some that belong together, and what the GPU is with `factor` times as much of it.
struct Capacity {
  std::string_view name;
  GpuSpec (*raised)(GpuSpec gpu, double factor);
};

/// More SMs as fast as those that it has; DRAM and L2 are the same.
inline GpuSpec with_more_sms(GpuSpec gpu, double factor) {
  const int sms = static_cast<int>(std::ceil(gpu.sms * factor));
  const double ratio = static_cast<double>(sms) / gpu.sms;
  gpu.sms = sms;
  gpu.fp32_flops_per_us *= ratio;
  gpu.tensor_flops_per_us *= ratio;
  gpu.sm_bandwidth_factor *= ratio;
  return gpu;
}

inline GpuSpec with_faster_clock(GpuSpec gpu, double factor) {
  gpu.fp32_flops_per_us *= factor;
  gpu.tensor_flops_per_us *= factor;
  return gpu;
}

inline GpuSpec with_faster_dram(GpuSpec gpu, double factor) {
  gpu.dram_bytes_per_us *= factor;
  return gpu;
}

inline GpuSpec with_faster_l2(GpuSpec gpu, double factor) {
  gpu.l2_bytes_per_us *= factor;
  return gpu;
}

inline GpuSpec with_larger_l2(GpuSpec gpu, double factor) {
  gpu.l2_bytes = static_cast<std::int64_t>(static_cast<double>(gpu.l2_bytes) * factor);
  return gpu;
}

inline GpuSpec with_cheaper_launches(GpuSpec gpu, double factor) {
  LaunchCosts& costs = gpu.costs;
  for (double* cost :
       {&costs.launch_us, &costs.library_call_us, &costs.event_us, &costs.edge_us,
        &costs.cross_edge_us, &costs.graph_us, &costs.graph_node_us, &costs.device_sync_us})
    *cost /= factor;
  return gpu;
}

inline GpuSpec with_larger_sms(GpuSpec gpu, double factor) {
  const auto raise = [&](auto& limit) {
    limit = static_cast<std::remove_reference_t<decltype(limit)>>(
        std::floor(static_cast<double>(limit) * factor));
  };
  raise(gpu.sm.threads);
  raise(gpu.sm.blocks);
  raise(gpu.sm.registers);
  raise(gpu.sm.shared_bytes);
  raise(gpu.sm.shared_bytes_per_block);
  return gpu;
}

inline GpuSpec with_more_of_everything(GpuSpec gpu, double factor) {
  for (const auto raised : {with_more_sms, with_faster_clock, with_faster_dram, with_faster_l2,
                            with_larger_l2, with_cheaper_launches, with_larger_sms})
    gpu = raised(std::move(gpu), factor);
  return gpu;
}

/// What may be raised alone. An SM's limits may not: docs/gpu-model.md says why.
inline constexpr std::array<Capacity, 7> kCapacities = {{{"everything", with_more_of_everything},
                                                         {"SMs", with_more_sms},
                                                         {"clock", with_faster_clock},
                                                         {"DRAM bandwidth", with_faster_dram},
                                                         {"L2 bandwidth", with_faster_l2},
                                                         {"L2 size", with_larger_l2},
                                                         {"launches", with_cheaper_launches}}};

}  // namespace braid::sim
