#include "sim/kernel.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/text.h"

namespace braid::sim {
namespace {

constexpr int kWarp = 32;

std::int64_t round_up(std::int64_t amount, std::int64_t unit) {
  return ceil_div(amount, unit) * unit;
}

/// Blocks per us and SM when `resident` of them share it.
double sm_block_rate(const GpuSpec& gpu, const Kernel& kernel, double resident) {
  const double busy = std::min(1.0, resident * kernel.warps() / kernel.saturation_warps);
  return sm_flops_per_us(gpu, kernel.pipe) * kernel.efficiency * busy / kernel.flops;
}

/// Arithmetic of the SM that has most blocks: full waves, then the rest.
double compute_us(const GpuSpec& gpu, const Kernel& kernel, std::int64_t resident) {
  if (kernel.flops <= 0) return 0;
  const std::int64_t on_one = ceil_div(kernel.blocks, gpu.sms);
  const std::int64_t rest = on_one % resident;
  const auto full = static_cast<double>(on_one - rest);
  double time = full / sm_block_rate(gpu, kernel, static_cast<double>(resident));
  if (rest > 0)
    time += static_cast<double>(rest) / sm_block_rate(gpu, kernel, static_cast<double>(rest));
  return time;
}

double memory_us(const GpuSpec& gpu, const Kernel& kernel) {
  const auto blocks = static_cast<double>(kernel.blocks);
  const double efficiency = kernel.pipe == Pipe::Memory ? kernel.efficiency : 1;
  const double busy_sms = std::min(blocks, static_cast<double>(gpu.sms));
  const double through_sms = kernel.pipe == Pipe::Memory
                                 ? blocks * kernel.l2_bytes / (busy_sms * sm_bytes_per_us(gpu))
                                 : 0;
  return std::max({blocks * kernel.dram_bytes / gpu.dram_bytes_per_us,
                   blocks * kernel.l2_bytes / gpu.l2_bytes_per_us, through_sms}) /
         efficiency;
}

}  // namespace

Kernel make_kernel(const GpuSpec& gpu, std::string_view family, Pipe pipe, std::int64_t blocks) {
  const KernelFamily& facts = gpu.family(family);
  Kernel kernel;
  kernel.family = family;
  kernel.pipe = pipe;
  kernel.blocks = std::max<std::int64_t>(1, blocks);
  kernel.threads = facts.threads;
  kernel.registers = facts.registers;
  kernel.shared_bytes = facts.shared_bytes;
  kernel.efficiency = facts.efficiency;
  kernel.saturation_warps = facts.saturation_warps;
  kernel.fill_us = facts.fill_us;
  kernel.refill_us = facts.refill_us;
  kernel.covered = facts.calibrated;
  return kernel;
}

KernelClass class_of(const GpuSpec& gpu, const Kernel& kernel) {
  if (kernel.pipe == Pipe::Memory) return KernelClass::Memory;
  const double arithmetic_us =
      kernel.flops / (gpu.sms * sm_flops_per_us(gpu, kernel.pipe) * kernel.efficiency);
  const double memory_us =
      std::max(kernel.dram_bytes / gpu.dram_bytes_per_us, kernel.l2_bytes / gpu.l2_bytes_per_us);
  return arithmetic_us >= memory_us ? KernelClass::Compute : KernelClass::Memory;
}

BlockNeeds block_needs(const GpuSpec& gpu, const Kernel& kernel) {
  BlockNeeds needs;
  needs.threads = kernel.warps() * kWarp;
  needs.registers =
      round_up(std::int64_t{kernel.registers} * kWarp, gpu.sm.register_unit) * kernel.warps();
  needs.shared_bytes =
      round_up(kernel.shared_bytes + gpu.sm.shared_bytes_reserved, gpu.sm.shared_unit);
  return needs;
}

int occupancy(const GpuSpec& gpu, const Kernel& kernel) {
  const BlockNeeds needs = block_needs(gpu, kernel);
  std::int64_t fit = gpu.sm.blocks;
  fit = std::min<std::int64_t>(fit, gpu.sm.threads / needs.threads);
  fit = std::min(fit, gpu.sm.registers / needs.registers);
  if (needs.shared_bytes > 0) fit = std::min(fit, gpu.sm.shared_bytes / needs.shared_bytes);
  if (fit < 1 || kernel.shared_bytes > gpu.sm.shared_bytes_per_block)
    raise(ErrorKind::Model,
          fmt::format("a block of {} needs {} threads, {} registers and {} bytes of shared memory: "
                      "more than an SM of {} has",
                      quote(kernel.family), needs.threads, needs.registers, needs.shared_bytes,
                      quote(gpu.name)));
  return static_cast<int>(fit);
}

double sm_flops_per_us(const GpuSpec& gpu, Pipe pipe) {
  const bool tensor = pipe == Pipe::Tensor && gpu.tensor_flops_per_us > 0;
  return (tensor ? gpu.tensor_flops_per_us : gpu.fp32_flops_per_us) / gpu.sms;
}

double sm_bytes_per_us(const GpuSpec& gpu) {
  return gpu.sm_bandwidth_factor * gpu.dram_bytes_per_us / gpu.sms;
}

double overlapped(const GpuSpec& gpu, double compute, double memory) {
  return std::max(compute, memory) + (1 - gpu.overlap) * std::min(compute, memory);
}

double solo_us(const GpuSpec& gpu, const Kernel& kernel) {
  const std::int64_t resident = occupancy(gpu, kernel);
  const std::int64_t waves = ceil_div(ceil_div(kernel.blocks, gpu.sms), resident);
  return kernel.fill_us + kernel.refill_us * static_cast<double>(waves - 1) +
         overlapped(gpu, compute_us(gpu, kernel, resident), memory_us(gpu, kernel));
}

}  // namespace braid::sim
