#include "sim/sharing.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace braid::sim {
namespace {

/// The running blocks of a kind, and what each asks of a shared resource per us.
struct Demand {
  Resident* resident;
  double blocks;
  double bytes;  ///< of a block
  std::size_t number = 0;
  double wanted = 0;  ///< bytes of a block per us
};

constexpr std::size_t kPipes = 3;

std::array<double, kPipes> running_warps(std::span<const Kernel* const> kernels,
                                         const SmGroup& group) {
  std::array<double, kPipes> warps{};
  for (const Resident& resident : group.residents) {
    const Kernel& kernel = *kernels[static_cast<std::size_t>(resident.launch)];
    if (resident.running())
      warps[static_cast<std::size_t>(kernel.pipe)] += kernel.warps() * resident.count;
  }
  return warps;
}

/// Blocks per us of one block, were memory free for kernels with arithmetic.
double rate_in_sm(const GpuSpec& gpu, const Kernel& kernel, double warps) {
  const double share = kernel.warps() / warps;
  if (kernel.pipe == Pipe::Memory)
    return sm_bytes_per_us(gpu) * kernel.efficiency * share / std::max(kernel.l2_bytes, 1.0);
  const double busy = std::min(1.0, warps / kernel.saturation_warps);
  return sm_flops_per_us(gpu, kernel.pipe) * kernel.efficiency * busy * share /
         std::max(kernel.flops, 1.0);
}

/// Lowers rates until the demands fit the capacity, the smallest demands first.
void fit(std::vector<Demand>& demands, double capacity) {
  double total = 0;
  for (std::size_t i = 0; i < demands.size(); ++i) {
    Demand& demand = demands[i];
    demand.number = i;
    demand.wanted = demand.bytes * demand.resident->rate;
    total += demand.blocks * demand.wanted;
  }
  if (total <= capacity) return;
  std::sort(demands.begin(), demands.end(), [](const Demand& a, const Demand& b) {
    return std::pair(a.wanted, a.number) < std::pair(b.wanted, b.number);
  });
  double blocks = 0;
  for (const Demand& demand : demands) blocks += demand.blocks;
  for (Demand& demand : demands) {
    const double fair = capacity / blocks;
    demand.resident->rate = std::min(demand.resident->rate, fair / demand.bytes);
    capacity =
        std::max(capacity * 1e-12, capacity - demand.blocks * demand.bytes * demand.resident->rate);
    blocks -= demand.blocks;
  }
}

/// Blocks that use memory now: how many there are decides what is fair to each.
double blocks_with_traffic(std::span<const Kernel* const> kernels, const Residency& residency) {
  double blocks = 0;
  for (const SmGroup& group : residency.groups())
    for (const Resident& resident : group.residents)
      if (resident.running() && kernels[static_cast<std::size_t>(resident.launch)]->l2_bytes > 0)
        blocks += static_cast<double>(resident.count) * group.sms;
  return blocks;
}

/// A block with arithmetic that gets its fair share of the memory.
double rate_with_memory(const GpuSpec& gpu, const Kernel& kernel, double rate, double blocks) {
  const double memory_us = std::max(kernel.dram_bytes * blocks / gpu.dram_bytes_per_us,
                                    kernel.l2_bytes * blocks / gpu.l2_bytes_per_us);
  return 1 / overlapped(gpu, 1 / rate, memory_us);
}

}  // namespace

void share_out(const GpuSpec& gpu, std::span<const Kernel* const> kernels, Residency& residency) {
  std::vector<Demand> l2;
  std::vector<Demand> dram;
  const double users = blocks_with_traffic(kernels, residency);
  for (SmGroup& group : residency.groups()) {
    const std::array<double, kPipes> warps = running_warps(kernels, group);
    for (Resident& resident : group.residents) {
      resident.rate = 0;
      if (!resident.running()) continue;
      const Kernel& kernel = *kernels[static_cast<std::size_t>(resident.launch)];
      resident.rate = rate_in_sm(gpu, kernel, warps[static_cast<std::size_t>(kernel.pipe)]);
      if (kernel.pipe != Pipe::Memory)
        resident.rate = rate_with_memory(gpu, kernel, resident.rate, users);
      // A kernel that moves bytes clumsily keeps the memory busy for longer.
      const double waste = kernel.pipe == Pipe::Memory ? 1 / kernel.efficiency : 1;
      const double blocks = static_cast<double>(resident.count) * group.sms;
      if (kernel.l2_bytes > 0) l2.push_back({&resident, blocks, kernel.l2_bytes * waste});
      if (kernel.dram_bytes > 0) dram.push_back({&resident, blocks, kernel.dram_bytes * waste});
    }
  }
  fit(l2, gpu.l2_bytes_per_us);
  fit(dram, gpu.dram_bytes_per_us);
}

}  // namespace braid::sim
