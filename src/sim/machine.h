#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/gpu_spec.h"
#include "sim/kernel.h"

namespace braid::sim {

/// A kernel in the form in which a simulation needs it often.
struct MachineKernel {
  BlockNeeds needs;
  std::int64_t blocks = 1;
  double fill_us = 0;
  double refill_us = 0;
  std::size_t pipe = 0;
  double warps = 0;      ///< of a block
  double full_rate = 0;  ///< blocks per us of an SM that has enough warps
  double saturation_warps = 0;
  double l2_bytes = 0;  ///< of a block; more for a kernel that moves them clumsily
  double dram_bytes = 0;
  double l2_us = 0;  ///< of a block alone in the world
  double dram_us = 0;
  double traffic_bytes = 0;  ///< of a block, from DRAM, as it is: for logs
  double memory_claim = 0;   ///< of all memory: that an SM full of it takes; 0: bound by arithmetic
  std::size_t kind = 0;      ///< for Machine::slowdown()
};

/// A GPU and kernels for it, worked out once for many simulations.
class Machine {
 public:
  static constexpr std::size_t kPipes = 3;

  /// Kernels of very many waves become ones of fewer, thicker blocks.
  Machine(GpuSpec gpu, std::span<const Kernel> kernels);

  const GpuSpec& gpu() const { return gpu_; }
  const MachineKernel& kernel(std::int32_t index) const {
    return kernels_[static_cast<std::size_t>(index)];
  }

  /// Whether the spec states interference.
  bool states_interference() const { return !gpu_.interference.empty(); }
  /// Then: how many times as long as alone the first takes beside the second; nothing if no row is
  /// about them.
  std::optional<double> slowdown(std::int32_t first, std::int32_t second) const {
    const double stated = slowdowns_[kernel(first).kind * kinds_ + kernel(second).kind];
    return stated > 0 ? std::optional(stated) : std::nullopt;
  }

 private:
  void look_up_interference(std::span<const Kernel> kernels);

  GpuSpec gpu_;
  std::vector<MachineKernel> kernels_;
  std::size_t kinds_ = 0;
  std::vector<double> slowdowns_;  // of each kind beside each; 0: not stated
};

}  // namespace braid::sim
