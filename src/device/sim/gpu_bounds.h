#pragma once

#include "device/sim/sim_program.h"
#include "schedule/bounds.h"

namespace braid::sim {

/// Bounds on the modelled GPU. A node counts in whichever of its ways takes least of what is
/// counted; on the critical path, as the simulation runs its kernels alone.
Bounds gpu_bounds(const SimSettings& settings, const Graph& lowered);

}  // namespace braid::sim
