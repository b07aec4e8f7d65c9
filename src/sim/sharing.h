#pragma once

#include <span>

#include "sim/kernel.h"
#include "sim/residency.h"

namespace braid::sim {

/// Sets the rate of every resident block: the blocks of an SM share its arithmetic by their warps,
/// and all blocks share DRAM and L2 max-min fairly: a block that wants less than the fair share
/// gets what it wants. `kernels` is indexed by launch.
void share_out(const GpuSpec& gpu, std::span<const Kernel* const> kernels, Residency& residency);

}  // namespace braid::sim
