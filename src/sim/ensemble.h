#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cost/simulated_time.h"
#include "sim/draws.h"
#include "sim/engine.h"

namespace braid::sim {

/// Changes what is not known well, by a factor that depends on the draw and on the name of what it
/// changes, so that every launch of a kind changes alike. Factors are centred on 1 as logarithms
/// are, and no efficiency becomes more than 1.
/// - Arithmetic as a whole by up to 15 %: clocks, and the version of a library.
/// - Efficiency of kernels that measurements cover by up to 10 %, of others by up to 1.5, and of
/// each
///   shape of kernel by as much again as its family's error.
/// - Fill and refill times and saturation by up to 30 %, memory bandwidth by up to 5 %, launch
/// costs
///   by up to 20 %; how many branches of a CUDA Graph start side by side: 1, 2, 2, 4 or 8.
/// Which kernels are launched is drawn, too: KernelOptions::draw.
GpuSpec perturbed(GpuSpec gpu, int draw);
Kernel perturbed(const GpuSpec& gpu, Kernel kernel, int draw);

/// How often perturbed() has made a GPU of a draw that is only reported. A search or a choice that
/// raises it has seen what it must not see.
std::int64_t reported_draws_made();

/// A GPU and kernels in a draw, 0 being the nominal model.
struct Drawn {
  GpuSpec gpu;
  std::vector<Kernel> kernels;
};
Drawn drawn(const GpuSpec& gpu, std::span<const Kernel> kernels, int draw);
Simulator simulator_of(const Drawn& drawn, int draw, const EngineOptions& options = {});

/// Simulates the kernels on a draw, 0 being the nominal model.
Simulator simulator_of(const GpuSpec& gpu, std::span<const Kernel> kernels, int draw,
                       const EngineOptions& options = {});

/// The nominal time of these launches and that of every draw that is reported.
SimulatedTime simulate_all(const GpuSpec& gpu, std::span<const Launch> launches,
                           const EngineOptions& options = {});

}  // namespace braid::sim
