#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cost/simulated_time.h"
#include "sim/engine.h"

namespace braid::sim {

/// Models that differ from the nominal one by as much as it may be wrong. Some draws are for
/// judgement only: they are what is reported. Others help to choose between Plans that were found,
/// and others still to find them; a draw that has helped is never reported. Draws 1 to 16 were
/// reported while the search was being made; they are used for nothing now.
inline constexpr int kDraws = 16;
inline constexpr int kFirstDraw = 101;
inline constexpr int kChoiceDraws = 16;
inline constexpr int kFirstChoiceDraw = 17;
inline constexpr int kFirstSearchDraw = kFirstChoiceDraw + kChoiceDraws;

/// Changes what is not known well, by a factor that depends on the draw and on the name of what it
/// changes, so that every launch of a kind changes alike:
/// - efficiency of kernels that measurements cover by up to 10 %, of others by 0.5 to 2, and of
///   each shape of kernel by as much again as its family's error;
/// - fill and refill times and saturation by up to 30 %, memory bandwidth by up to 5 %,
///   launch costs by up to 20 %.
GpuSpec perturbed(GpuSpec gpu, int draw);
Kernel perturbed(const GpuSpec& gpu, Kernel kernel, int draw);

/// Simulates the kernels on a draw, 0 being the nominal model.
Simulator simulator_of(const GpuSpec& gpu, std::span<const Kernel> kernels, int draw,
                       const EngineOptions& options = {});

/// The nominal time and that of every draw that is reported.
SimulatedTime simulate_all(const GpuSpec& gpu, std::span<const Launch> launches,
                           const EngineOptions& options = {});

}  // namespace braid::sim
