#include "sim/interference.h"

#include <algorithm>

#include "sim/engine.h"
#include "sim/traffic.h"

namespace braid::sim {
namespace {

constexpr std::string_view kComputeFamily = "sgemm_128x64";
constexpr std::string_view kMemoryFamily = "elementwise";
/// A neighbour outlasts whom it is beside by this factor, even if it is favoured.
constexpr double kOutlasting = 1'000;

/// The kernel's own blocks, of one wave that leaves room for as many of another, and at work from
/// the first moment on.
Kernel half_of_the_device(const GpuSpec& gpu, Kernel kernel) {
  const std::int64_t half = std::int64_t{gpu.sms} * occupancy(gpu, kernel) / 2;
  kernel.blocks = std::clamp<std::int64_t>(kernel.blocks, 1, std::max<std::int64_t>(1, half));
  kernel.fill_us = kernel.refill_us = 0;
  return kernel;
}

Kernel longer(Kernel kernel, double factor) {
  kernel.flops *= factor;
  kernel.dram_bytes *= factor;
  kernel.l2_bytes *= factor;
  return kernel;
}

/// When the launch of that index has ended, all being launched at once.
double end_us(const GpuSpec& gpu, std::vector<Kernel> kernels, std::size_t index) {
  std::vector<Launch> launches;
  for (Kernel& kernel : kernels)
    launches.push_back(
        {.kernel = std::move(kernel), .stream = static_cast<int>(launches.size()), .after = {}});
  return simulate(gpu, launches).launches[index].end_us;
}

/// A tile of a product of two square matrices.
Kernel tiles(const GpuSpec& gpu) {
  constexpr double side = 4096;
  constexpr double rows = 128;
  constexpr double columns = 64;
  Kernel kernel = make_kernel(gpu, kComputeFamily, Pipe::Fp32,
                              static_cast<std::int64_t>(side / rows * side / columns));
  kernel.flops = 2 * rows * columns * side;
  set_bytes(gpu, {}, {.activations = 3 * side * side * sizeof(float)}, kernel);
  return kernel;
}

/// Each element of a long tensor is read and another is written.
Kernel elements(const GpuSpec& gpu) {
  constexpr double count = 1 << 26;
  return memory_kernel(gpu, {}, kMemoryFamily, count, 4,
                       {.activations = 2 * count * sizeof(float)});
}

}  // namespace

Interference interference(const GpuSpec& gpu, const Kernel& first, const Kernel& second) {
  GpuSpec at_once = gpu;
  at_once.costs = {};
  at_once.costs.graph_queues = 2;
  const std::array kernels = {half_of_the_device(gpu, first), half_of_the_device(gpu, second)};
  const std::array alone_us = {end_us(at_once, {kernels[0]}, 0), end_us(at_once, {kernels[1]}, 0)};
  Interference result;
  result.classes = {class_of(gpu, first), class_of(gpu, second)};
  for (const std::size_t i : {0U, 1U}) {
    std::vector<Kernel> both(kernels.begin(), kernels.end());
    both[1 - i] =
        longer(kernels[1 - i], kOutlasting * std::max(1.0, alone_us[i] / alone_us[1 - i]));
    result.slowdowns[i] = end_us(at_once, std::move(both), i) / alone_us[i];
  }
  const auto row = stated(gpu.interference, {first.family, result.classes[0]},
                          {second.family, result.classes[1]});
  result.stated = row.has_value();
  result.source = row ? row->row->source : "model";
  return result;
}

std::vector<Interference> class_interference(const GpuSpec& gpu) {
  if (!gpu.families.contains(kComputeFamily) || !gpu.families.contains(kMemoryFamily)) return {};
  const Kernel compute = tiles(gpu);
  const Kernel memory = elements(gpu);
  return {interference(gpu, compute, compute), interference(gpu, compute, memory),
          interference(gpu, memory, memory)};
}

}  // namespace braid::sim
