#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/gpu_spec.h"

namespace braid::sim {

enum class Pipe { Memory, Fp32, Tensor };

/// One launch on a GPU: a grid of equal blocks. What a block does is spread evenly over it.
struct Kernel {
  std::string family;  ///< its name in the spec file
  std::int64_t blocks = 1;
  int threads = 128;
  int registers = 32;
  std::int64_t shared_bytes = 0;
  Pipe pipe = Pipe::Memory;
  double flops = 0;       ///< of a block, padding of tiles included; 0 for Pipe::Memory
  double dram_bytes = 0;  ///< of a block
  double l2_bytes = 0;    ///< of a block: all that it reads and writes
  double efficiency = 1;  ///< of the pipe, or of the memory
  double saturation_warps = 1;
  double fill_us = 0;
  double refill_us = 0;
  bool covered = false;            ///< measurements of its family say something about it
  std::int64_t scratch_bytes = 0;  ///< that it and the kernels after it in its node keep results in

  int warps() const { return (threads + 31) / 32; }
};

/// A kernel of a family: threads, registers, shared memory and constants are the family's.
Kernel make_kernel(const GpuSpec& gpu, std::string_view family, Pipe pipe, std::int64_t blocks);

/// Whether the kernel's arithmetic or its memory traffic would take longer on a whole device, each
/// alone and at the kernel's own efficiency (a roofline). Its name says nothing, nor does its grid.
KernelClass class_of(const GpuSpec& gpu, const Kernel& kernel);

/// What one block takes of an SM, rounded as the hardware does.
struct BlockNeeds {
  int threads = 0;
  std::int64_t registers = 0;
  std::int64_t shared_bytes = 0;
};
BlockNeeds block_needs(const GpuSpec& gpu, const Kernel& kernel);

/// Blocks of a kernel that an empty SM holds. Throws Model if it holds none.
int occupancy(const GpuSpec& gpu, const Kernel& kernel);

/// Peak arithmetic of one SM for the kernel's pipe. Tensor kernels run on fp32 units where there
/// are no tensor cores.
double sm_flops_per_us(const GpuSpec& gpu, Pipe pipe);
/// Bytes that kernels which only move memory can draw in one SM.
double sm_bytes_per_us(const GpuSpec& gpu);

/// The time of arithmetic and memory at once, as far as they overlap.
double overlapped(const GpuSpec& gpu, double compute, double memory);

/// The time of the kernel alone on the device, in closed form:
/// fill + refill per further wave + arithmetic and memory, overlapped.
double solo_us(const GpuSpec& gpu, const Kernel& kernel);

}  // namespace braid::sim
