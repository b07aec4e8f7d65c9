#include "sim/sharing.h"

#include <algorithm>
#include <utility>

namespace braid::sim {

Sharing::Sharing(const GpuSpec& gpu, std::span<const Kernel> kernels)
    : overlap_(gpu.overlap),
      l2_capacity_(gpu.l2_bytes_per_us),
      dram_capacity_(gpu.dram_bytes_per_us) {
  constants_.reserve(kernels.size());
  for (const Kernel& kernel : kernels) {
    const bool memory_only = kernel.pipe == Pipe::Memory;
    const double per_us = memory_only ? sm_bytes_per_us(gpu) : sm_flops_per_us(gpu, kernel.pipe);
    const double of_block = std::max(memory_only ? kernel.l2_bytes : kernel.flops, 1.0);
    // A kernel that moves bytes clumsily keeps the memory busy for longer.
    const double waste = memory_only ? 1 / kernel.efficiency : 1;
    constants_.push_back(
        {static_cast<std::size_t>(kernel.pipe), static_cast<double>(kernel.warps()),
         per_us * kernel.efficiency / of_block, memory_only ? 0 : kernel.saturation_warps,
         kernel.l2_bytes * waste, kernel.dram_bytes * waste, kernel.l2_bytes / l2_capacity_,
         kernel.dram_bytes / dram_capacity_});
  }
}

std::array<double, Sharing::kPipes> Sharing::running_warps(const SmGroup& group) const {
  std::array<double, kPipes> warps{};
  for (const Resident& resident : group.residents)
    if (resident.running())
      warps[constants(resident).pipe] += constants(resident).warps * resident.count;
  return warps;
}

/// How many blocks use memory now decides what is fair to each.
double Sharing::blocks_with_traffic(const Residency& residency) const {
  double blocks = 0;
  for (const SmGroup& group : residency.groups())
    for (const Resident& resident : group.residents)
      if (resident.running() && constants(resident).l2_bytes > 0)
        blocks += static_cast<double>(resident.count) * group.sms;
  return blocks;
}

/// Lowers rates until the demands fit the capacity, the smallest demands first.
void Sharing::fit(std::vector<Demand>& demands, double capacity) {
  double total = 0;
  double blocks = 0;
  for (std::size_t i = 0; i < demands.size(); ++i) {
    Demand& demand = demands[i];
    demand.number = i;
    demand.wanted = demand.bytes * demand.resident->rate;
    total += demand.blocks * demand.wanted;
    blocks += demand.blocks;
  }
  if (total <= capacity) return;
  std::sort(demands.begin(), demands.end(), [](const Demand& a, const Demand& b) {
    return std::pair(a.wanted, a.number) < std::pair(b.wanted, b.number);
  });
  for (Demand& demand : demands) {
    const double fair = capacity / blocks;
    demand.resident->rate = std::min(demand.resident->rate, fair / demand.bytes);
    capacity =
        std::max(capacity * 1e-12, capacity - demand.blocks * demand.bytes * demand.resident->rate);
    blocks -= demand.blocks;
  }
}

void Sharing::share_out(Residency& residency) {
  l2_.clear();
  dram_.clear();
  const double users = blocks_with_traffic(residency);
  for (SmGroup& group : residency.groups()) {
    const std::array<double, kPipes> warps = running_warps(group);
    for (Resident& resident : group.residents) {
      resident.rate = 0;
      if (!resident.running()) continue;
      const Constants& kernel = constants(resident);
      const double all = warps[kernel.pipe];
      const double busy = all >= kernel.saturation_warps ? 1 : all / kernel.saturation_warps;
      resident.rate = kernel.full_rate * busy * kernel.warps / all;
      if (kernel.pipe != static_cast<std::size_t>(Pipe::Memory)) {
        const double compute_us = 1 / resident.rate;
        const double memory_us = users * std::max(kernel.dram_us, kernel.l2_us);
        resident.rate = 1 / (std::max(compute_us, memory_us) +
                             (1 - overlap_) * std::min(compute_us, memory_us));
      }
      const double blocks = static_cast<double>(resident.count) * group.sms;
      if (kernel.l2_bytes > 0) l2_.push_back({&resident, blocks, kernel.l2_bytes});
      if (kernel.dram_bytes > 0) dram_.push_back({&resident, blocks, kernel.dram_bytes});
    }
  }
  fit(l2_, l2_capacity_);
  fit(dram_, dram_capacity_);
}

}  // namespace braid::sim
