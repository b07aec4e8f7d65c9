#include "sim/sharing.h"

#include <algorithm>
#include <utility>

namespace braid::sim {

std::array<double, Machine::kPipes> Sharing::running_warps(const SmGroup& group) const {
  std::array<double, Machine::kPipes> warps{};
  for (const Resident& resident : group.residents)
    if (resident.running()) warps[kernel(resident).pipe] += kernel(resident).warps * resident.count;
  return warps;
}

/// How many blocks use memory now decides what is fair to each.
double Sharing::blocks_with_traffic(const Residency& residency) const {
  double blocks = 0;
  for (const SmGroup& group : residency.groups())
    for (const Resident& resident : group.residents)
      if (resident.running() && kernel(resident).l2_bytes > 0)
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
    const std::array<double, Machine::kPipes> warps = running_warps(group);
    for (Resident& resident : group.residents) {
      resident.rate = 0;
      if (!resident.running()) continue;
      const MachineKernel& kernel = this->kernel(resident);
      const double all = warps[kernel.pipe];
      const double busy = all >= kernel.saturation_warps ? 1 : all / kernel.saturation_warps;
      resident.rate = kernel.full_rate * busy * kernel.warps / all;
      if (kernel.pipe != static_cast<std::size_t>(Pipe::Memory)) {
        const double compute_us = 1 / resident.rate;
        const double memory_us = users * std::max(kernel.dram_us, kernel.l2_us);
        resident.rate = 1 / (std::max(compute_us, memory_us) +
                             (1 - machine_.gpu().overlap) * std::min(compute_us, memory_us));
      }
      const double blocks = static_cast<double>(resident.count) * group.sms;
      if (kernel.l2_bytes > 0) l2_.push_back({&resident, blocks, kernel.l2_bytes});
      if (kernel.dram_bytes > 0) dram_.push_back({&resident, blocks, kernel.dram_bytes});
    }
  }
  fit(l2_, machine_.gpu().l2_bytes_per_us);
  fit(dram_, machine_.gpu().dram_bytes_per_us);
}

}  // namespace braid::sim
