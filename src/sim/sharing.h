#pragma once

#include <array>
#include <vector>

#include "sim/machine.h"
#include "sim/residency.h"

namespace braid::sim {

/// Shares the device among the blocks that are on it: the blocks of an SM share its arithmetic by
/// their warps, and all blocks share DRAM and L2 max-min fairly: a block that wants less than the
/// fair share gets what it wants.
///
/// Where the GPU's spec states what two kernels do to each other, that counts instead: the blocks
/// of a launch get what they would get without those neighbours, divided by
///
///     1 + sum over these neighbours of (stated slowdown - 1) * pressure * crowding
///
/// Pressure is how much of what bounds a kernel its running blocks could use alone: the arithmetic
/// of their SM, or all of the device's memory; 1 for one that fills half of the device, as when the
/// figure was taken. They crowd each other as far as the pressures of all of them exceed 1:
///
///     crowding = (own pressure + that of these neighbours - 1) / that of these neighbours, or 0
///
/// So a stated slowdown of 2 of two of a kind is what sharing gives them anyway.
class Sharing {
 public:
  /// The machine must outlive it.
  explicit Sharing(const Machine& machine) : machine_(machine) {}

  /// Sets the rate of every resident block.
  void share_out(Residency& residency);

 private:
  /// A launch that has running blocks.
  struct Runner {
    std::int32_t launch;
    std::int32_t kernel;
    double memory_pressure;
  };
  /// Running blocks of a kind, and what they want of a shared resource.
  struct Demand {
    Resident* resident;
    double blocks;
    double bytes;       ///< of a block
    double wanted = 0;  ///< bytes of a block per us
    std::size_t number = 0;
  };
  const MachineKernel& kernel(const Resident& resident) const {
    return machine_.kernel(resident.kernel);
  }
  /// The same among those blocks for which `takes_part(resident)`; the rates of others stay.
  template <class TakesPart>
  void share_out_among(Residency& residency, const TakesPart& takes_part);
  template <class TakesPart>
  std::array<double, Machine::kPipes> running_warps(const SmGroup& group,
                                                    const TakesPart& takes_part) const;
  template <class TakesPart>
  double blocks_with_traffic(const Residency& residency, const TakesPart& takes_part) const;
  void find_runners(const Residency& residency);
  double pressure_in(const SmGroup& group, const Runner& runner) const;
  bool has_stated_neighbour(const Runner& runner) const;
  /// How many times as long the runner's blocks there take for neighbours of whom it is stated.
  double stated_slowdown(const SmGroup& group, const Runner& runner) const;
  void obey_statements(Residency& residency);
  static void fit(std::vector<Demand>& demands, double capacity);

  const Machine& machine_;
  std::vector<Demand> l2_;
  std::vector<Demand> dram_;
  std::vector<Runner> runners_;
  std::vector<double> rates_;  // of all blocks, in their order
};

}  // namespace braid::sim
