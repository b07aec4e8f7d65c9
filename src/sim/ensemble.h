#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cost/simulated_time.h"
#include "sim/engine.h"

namespace braid::sim {

/// Models that differ from the nominal one by as much as it may be wrong. Search uses the nominal
/// model; the draws are for judgement only.
inline constexpr int kDraws = 16;

/// Changes what is not known well, by a factor that depends on the draw and on the name of what it
/// changes, so that every launch of a kind changes alike:
/// - efficiency of kernels that measurements cover by up to 10 %, of others by 0.5 to 2, and of
///   each shape of kernel by as much again as its family's error;
/// - fill and refill times and saturation by up to 30 %, memory bandwidth by up to 5 %,
///   launch costs by up to 20 %.
GpuSpec perturbed(GpuSpec gpu, int draw);
Kernel perturbed(const GpuSpec& gpu, Kernel kernel, int draw);

/// The nominal time and that of every draw.
SimulatedTime simulate_all(const GpuSpec& gpu, std::span<const Launch> launches,
                           const EngineOptions& options = {});

}  // namespace braid::sim
