#pragma once

#include "sim/engine.h"
#include "sim/kernel.h"

/// For tests: a small made-up GPU with round figures, and kernels for it.

namespace braid::sim {

/// Ten SMs of 1000 flops/us, 16 warps and 4 blocks each; 1000 bytes/us of DRAM and 4000 of L2; no
/// fixed costs.
inline GpuSpec plain_gpu() {
  GpuSpec gpu;
  gpu.name = "plain";
  gpu.sms = 10;
  gpu.fp32_flops_per_us = 10'000;
  gpu.dram_bytes_per_us = 1000;
  gpu.l2_bytes_per_us = 4000;
  gpu.l2_bytes = 1 << 20;
  gpu.sm.threads = 512;
  gpu.sm.blocks = 4;
  gpu.sm.registers = 65536;
  gpu.sm.shared_bytes = 65536;
  gpu.sm.shared_bytes_per_block = 65536;
  gpu.costs = {};
  gpu.costs.hardware_queues = gpu.costs.graph_queues = 8;
  return gpu;
}

/// Blocks of 4 warps that each do `flops`.
inline Kernel arithmetic(std::int64_t blocks, double flops = 1000) {
  Kernel kernel;
  kernel.family = "arithmetic";
  kernel.blocks = blocks;
  kernel.pipe = Pipe::Fp32;
  kernel.flops = flops;
  return kernel;
}

/// Blocks of 4 warps that each move `bytes` to or from DRAM.
inline Kernel copying(std::int64_t blocks, double bytes = 100) {
  Kernel kernel;
  kernel.family = "copying";
  kernel.blocks = blocks;
  kernel.dram_bytes = bytes;
  kernel.l2_bytes = bytes;
  return kernel;
}

inline Launch launch_of(Kernel kernel, int stream = 0, std::vector<std::int32_t> after = {}) {
  Launch launch;
  launch.kernel = std::move(kernel);
  launch.stream = stream;
  launch.after = std::move(after);
  return launch;
}

}  // namespace braid::sim
