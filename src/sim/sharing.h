#pragma once

#include <array>
#include <vector>

#include "sim/machine.h"
#include "sim/residency.h"

namespace braid::sim {

/// Shares the device among the blocks that are on it: the blocks of an SM share its arithmetic by
/// their warps, and all blocks share DRAM and L2 max-min fairly: a block that wants less than the
/// fair share gets what it wants.
class Sharing {
 public:
  /// The machine must outlive it.
  explicit Sharing(const Machine& machine) : machine_(machine) {}

  /// Sets the rate of every resident block.
  void share_out(Residency& residency);

 private:
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
  std::array<double, Machine::kPipes> running_warps(const SmGroup& group) const;
  double blocks_with_traffic(const Residency& residency) const;
  static void fit(std::vector<Demand>& demands, double capacity);

  const Machine& machine_;
  std::vector<Demand> l2_;
  std::vector<Demand> dram_;
};

}  // namespace braid::sim
