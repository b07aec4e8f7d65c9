#include "sim/ensemble.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <string>
#include <string_view>

#include "sim/wobble.h"

namespace braid::sim {
namespace {

/// How many branches of a graph start side by side is not published.
constexpr std::array<int, 5> kGraphQueues = {1, 2, 2, 4, 8};
/// Of families that no measurement covers, as logarithms: what is common to a family, and the mean
/// error of a shape.
constexpr double kUncovered = 0.405;
constexpr double kUncoveredError = 0.1;
/// How much slower than nominal a kernel at the peak may be, as a logarithm.
constexpr double kLeastDoubt = 0.06;

std::atomic<std::int64_t> reported_draws = 0;

/// Up to `extent` more or less, as a logarithm.
double factor(int draw, const std::string& what, double extent) {
  return std::exp(extent * wobble(draw, what));
}

/// No kernel is faster than the peak, and draws stay nearly centred: one that has little room above
/// has little below, though kLeastDoubt at least.
double within_peak(double efficiency, double doubt) {
  const double room = -std::log(efficiency);
  return std::clamp(doubt, -std::max(room, kLeastDoubt), room);
}

}  // namespace

std::int64_t reported_draws_made() { return reported_draws; }

GpuSpec perturbed(GpuSpec gpu, int draw) {
  if (kReportedDraws.has(draw)) ++reported_draws;
  gpu.dram_bytes_per_us *= factor(draw, "dram", 0.05);
  gpu.l2_bytes_per_us *= factor(draw, "l2", 0.2);
  gpu.sm_bandwidth_factor *= factor(draw, "sm", 0.3);
  const double host = factor(draw, "host", 0.2);
  const double device = factor(draw, "device", 0.2);
  gpu.costs.launch_us *= host;
  gpu.costs.library_call_us *= host;
  gpu.costs.event_us *= host;
  gpu.costs.device_sync_us *= host;
  gpu.costs.graph_us *= host;
  gpu.costs.edge_us *= device;
  gpu.costs.cross_edge_us *= device;
  gpu.costs.graph_node_us *= device;
  gpu.costs.graph_queues = kGraphQueues[static_cast<std::size_t>(draw) % kGraphQueues.size()];
  return gpu;
}

Kernel perturbed(const GpuSpec& gpu, Kernel kernel, int draw) {
  const auto found = gpu.families.find(kernel.family);
  const bool covered = kernel.covered && found != gpu.families.end();
  const double error = covered ? found->second.error : kUncoveredError;
  const std::string shape = kernel.family + "/" + std::to_string(kernel.blocks) + "/" +
                            std::to_string(static_cast<std::int64_t>(kernel.flops)) + "/" +
                            std::to_string(static_cast<std::int64_t>(kernel.l2_bytes));
  double doubt = covered ? 0.1 * wobble(draw, kernel.family)
                         : kUncovered * wobble(draw, kernel.family + "/uncovered");
  if (kernel.pipe != Pipe::Memory) doubt += 0.15 * wobble(draw, "arithmetic");
  // Twice the mean of a uniform error is its extent.
  doubt += std::min(0.5, 2 * error) * wobble(draw, shape);
  kernel.efficiency *= std::exp(within_peak(kernel.efficiency, doubt));
  kernel.fill_us *= factor(draw, kernel.family + "/fill", 0.3);
  kernel.refill_us *= factor(draw, kernel.family + "/refill", 0.3);
  kernel.saturation_warps *= factor(draw, kernel.family + "/saturation", 0.3);
  return kernel;
}

Drawn drawn(const GpuSpec& gpu, std::span<const Kernel> kernels, int draw) {
  Drawn result{draw == 0 ? gpu : perturbed(gpu, draw), {kernels.begin(), kernels.end()}};
  if (draw != 0)
    for (Kernel& kernel : result.kernels) kernel = perturbed(gpu, std::move(kernel), draw);
  return result;
}

Simulator simulator_of(const Drawn& drawn, int draw, const EngineOptions& options) {
  EngineOptions with_seed = options;
  if (draw != 0) with_seed.placement_seed = static_cast<std::uint64_t>(draw);
  return Simulator(Machine(drawn.gpu, drawn.kernels), with_seed);
}

Simulator simulator_of(const GpuSpec& gpu, std::span<const Kernel> kernels, int draw,
                       const EngineOptions& options) {
  return simulator_of(drawn(gpu, kernels, draw), draw, options);
}

SimulatedTime simulate_all(const GpuSpec& gpu, std::span<const Launch> launches,
                           const EngineOptions& options) {
  const Packed all = packed(launches);
  const auto time_us = [&](int draw) {
    return simulator_of(gpu, all.kernels, draw, options).time_us(all.slots);
  };
  SimulatedTime result;
  result.nominal_us = time_us(0);
  for (int draw = kReportedDraws.first; draw < kReportedDraws.end(); ++draw)
    result.draws_us.push_back(time_us(draw));
  return result;
}

}  // namespace braid::sim
