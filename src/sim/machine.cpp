#include "sim/machine.h"

#include <algorithm>
#include <utility>

#include "base/checked.h"

namespace braid::sim {
namespace {

/// Kernels of more waves than this are simulated in fewer, thicker blocks.
constexpr std::int64_t kMostWaves = 64;

/// How many blocks one thicker block stands for.
std::int64_t thickness(const GpuSpec& gpu, const Kernel& kernel) {
  const std::int64_t wave = std::int64_t{gpu.sms} * occupancy(gpu, kernel);
  return ceil_div(kernel.blocks, wave * kMostWaves);
}

MachineKernel worked_out(const GpuSpec& gpu, const Kernel& kernel) {
  MachineKernel result;
  result.blocks = ceil_div(kernel.blocks, thickness(gpu, kernel));
  const double scale = static_cast<double>(kernel.blocks) / static_cast<double>(result.blocks);
  result.needs = block_needs(gpu, kernel);
  result.fill_us = kernel.fill_us;
  result.refill_us = kernel.refill_us * scale;
  result.pipe = static_cast<std::size_t>(kernel.pipe);
  result.warps = static_cast<double>(kernel.warps());
  const bool memory_only = kernel.pipe == Pipe::Memory;
  const double per_us = memory_only ? sm_bytes_per_us(gpu) : sm_flops_per_us(gpu, kernel.pipe);
  const double l2_bytes = kernel.l2_bytes * scale;
  const double of_block = std::max(memory_only ? l2_bytes : kernel.flops * scale, 1.0);
  // A kernel that moves bytes clumsily keeps the memory busy for longer.
  const double waste = memory_only ? 1 / kernel.efficiency : 1;
  result.full_rate = per_us * kernel.efficiency / of_block;
  result.saturation_warps = memory_only ? 0 : kernel.saturation_warps;
  result.traffic_bytes = kernel.dram_bytes * scale;
  result.l2_bytes = l2_bytes * waste;
  result.dram_bytes = result.traffic_bytes * waste;
  result.l2_us = l2_bytes / gpu.l2_bytes_per_us;
  result.dram_us = result.traffic_bytes / gpu.dram_bytes_per_us;
  if (class_of(gpu, kernel) == KernelClass::Memory)
    result.memory_claim = result.full_rate * std::max(result.dram_bytes / gpu.dram_bytes_per_us,
                                                      result.l2_bytes / gpu.l2_bytes_per_us);
  return result;
}

}  // namespace

Machine::Machine(GpuSpec gpu, std::span<const Kernel> kernels) : gpu_(std::move(gpu)) {
  kernels_.reserve(kernels.size());
  for (const Kernel& kernel : kernels) kernels_.push_back(worked_out(gpu_, kernel));
  if (states_interference()) look_up_interference(kernels);
}

void Machine::look_up_interference(std::span<const Kernel> kernels) {
  std::vector<KernelKind> kinds;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const KernelKind kind{kernels[i].family, class_of(gpu_, kernels[i])};
    const auto found = std::ranges::find(kinds, kind);
    kernels_[i].kind = static_cast<std::size_t>(found - kinds.begin());
    if (found == kinds.end()) kinds.push_back(kind);
  }
  kinds_ = kinds.size();
  for (const KernelKind& first : kinds)
    for (const KernelKind& second : kinds) {
      const auto found = stated(gpu_.interference, first, second);
      slowdowns_.push_back(found ? found->first : 0);
    }
}

}  // namespace braid::sim
