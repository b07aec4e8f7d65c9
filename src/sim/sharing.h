#pragma once

#include <array>
#include <span>
#include <vector>

#include "sim/kernel.h"
#include "sim/residency.h"

namespace braid::sim {

/// Shares the device among the blocks that are on it: the blocks of an SM share its arithmetic by
/// their warps, and all blocks share DRAM and L2 max-min fairly: a block that wants less than the
/// fair share gets what it wants.
class Sharing {
 public:
  /// `kernels` is indexed by launch.
  Sharing(const GpuSpec& gpu, std::span<const Kernel> kernels);

  /// Sets the rate of every resident block.
  void share_out(Residency& residency);

 private:
  /// What a kernel's rate depends on, in the form in which it is needed often.
  struct Constants {
    std::size_t pipe;
    double warps;
    double full_rate;  ///< blocks per us of an SM that has enough warps
    double saturation_warps;
    double l2_bytes;  ///< of a block; more for a kernel that moves them clumsily
    double dram_bytes;
    double l2_us;  ///< of a block alone in the world
    double dram_us;
  };
  /// Running blocks of a kind, and what they want of a shared resource.
  struct Demand {
    Resident* resident;
    double blocks;
    double bytes;       ///< of a block
    double wanted = 0;  ///< bytes of a block per us
    std::size_t number = 0;
  };
  static constexpr std::size_t kPipes = 3;

  const Constants& constants(const Resident& resident) const {
    return constants_[static_cast<std::size_t>(resident.launch)];
  }
  std::array<double, kPipes> running_warps(const SmGroup& group) const;
  double blocks_with_traffic(const Residency& residency) const;
  static void fit(std::vector<Demand>& demands, double capacity);

  double overlap_;
  double l2_capacity_;
  double dram_capacity_;
  std::vector<Constants> constants_;
  std::vector<Demand> l2_;
  std::vector<Demand> dram_;
};

}  // namespace braid::sim
