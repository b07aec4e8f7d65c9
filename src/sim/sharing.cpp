#include "sim/sharing.h"

#include <algorithm>
#include <utility>

namespace braid::sim {
namespace {

/// The part of an SM's full rate that so many warps of the kernel reach.
double busy(const MachineKernel& kernel, double warps) {
  return warps >= kernel.saturation_warps ? 1 : warps / kernel.saturation_warps;
}

}  // namespace

template <class TakesPart>
std::array<double, Machine::kPipes> Sharing::running_warps(const SmGroup& group,
                                                           const TakesPart& takes_part) const {
  std::array<double, Machine::kPipes> warps{};
  for (const Resident& resident : group.residents)
    if (resident.running() && takes_part(resident))
      warps[kernel(resident).pipe] += kernel(resident).warps * resident.count;
  return warps;
}

/// How many blocks use memory now decides what is fair to each.
template <class TakesPart>
double Sharing::blocks_with_traffic(const Residency& residency, const TakesPart& takes_part) const {
  double blocks = 0;
  for (const SmGroup& group : residency.groups())
    for (const Resident& resident : group.residents)
      if (resident.running() && takes_part(resident) && kernel(resident).l2_bytes > 0)
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

template <class TakesPart>
void Sharing::share_out_among(Residency& residency, const TakesPart& takes_part) {
  l2_.clear();
  dram_.clear();
  const double users = blocks_with_traffic(residency, takes_part);
  for (SmGroup& group : residency.groups()) {
    const std::array<double, Machine::kPipes> warps = running_warps(group, takes_part);
    for (Resident& resident : group.residents) {
      if (!takes_part(resident)) continue;
      resident.rate = 0;
      if (!resident.running()) continue;
      const MachineKernel& kernel = this->kernel(resident);
      const double all = warps[kernel.pipe];
      resident.rate = kernel.full_rate * busy(kernel, all) * kernel.warps / all;
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

void Sharing::find_runners(const Residency& residency) {
  runners_.clear();
  for (const SmGroup& group : residency.groups())
    for (const Resident& resident : group.residents) {
      if (!resident.running()) continue;
      auto runner = std::ranges::find(runners_, resident.launch, &Runner::launch);
      if (runner == runners_.end())
        runner = runners_.insert(runner, {resident.launch, resident.kernel, 0});
      const MachineKernel& kernel = this->kernel(resident);
      runner->memory_pressure = std::min(
          1.0, runner->memory_pressure +
                   group.sms * busy(kernel, kernel.warps * resident.count) * kernel.memory_claim);
    }
}

double Sharing::pressure_in(const SmGroup& group, const Runner& runner) const {
  const MachineKernel& kernel = machine_.kernel(runner.kernel);
  if (kernel.memory_claim > 0) return runner.memory_pressure;
  double warps = 0;
  for (const Resident& resident : group.residents)
    if (resident.running() && resident.launch == runner.launch)
      warps += kernel.warps * resident.count;
  return warps > 0 ? busy(kernel, warps) : 0;
}

bool Sharing::has_stated_neighbour(const Runner& runner) const {
  return std::ranges::any_of(runners_, [&](const Runner& other) {
    return other.launch != runner.launch && machine_.slowdown(runner.kernel, other.kernel);
  });
}

double Sharing::stated_slowdown(const SmGroup& group, const Runner& runner) const {
  double theirs = 0;
  double slower = 0;
  for (const Runner& other : runners_) {
    if (other.launch == runner.launch) continue;
    const auto stated = machine_.slowdown(runner.kernel, other.kernel);
    if (!stated) continue;
    const double pressure = pressure_in(group, other);
    theirs += pressure;
    slower += (*stated - 1) * pressure;
  }
  const double excess = pressure_in(group, runner) + theirs - 1;
  return theirs > 0 && excess > 0 ? 1 + slower * excess / theirs : 1;
}

void Sharing::obey_statements(Residency& residency) {
  find_runners(residency);
  if (runners_.size() < 2) return;
  rates_.clear();
  for (const SmGroup& group : residency.groups())
    for (const Resident& resident : group.residents) rates_.push_back(resident.rate);
  for (const Runner& runner : runners_) {
    if (!has_stated_neighbour(runner)) continue;
    share_out_among(residency, [&](const Resident& resident) {
      return resident.launch == runner.launch || !machine_.slowdown(runner.kernel, resident.kernel);
    });
    std::size_t next = 0;
    for (const SmGroup& group : residency.groups()) {
      const double slowdown = stated_slowdown(group, runner);
      for (const Resident& resident : group.residents) {
        if (resident.launch == runner.launch) rates_[next] = resident.rate / slowdown;
        ++next;
      }
    }
  }
  auto rate = rates_.begin();
  for (SmGroup& group : residency.groups())
    for (Resident& resident : group.residents) resident.rate = *rate++;
}

void Sharing::share_out(Residency& residency) {
  share_out_among(residency, [](const Resident&) { return true; });
  if (machine_.states_interference()) obey_statements(residency);
}

}  // namespace braid::sim
