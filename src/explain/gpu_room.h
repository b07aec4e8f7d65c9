#pragma once

#include <string_view>

#include "ops/op.h"
#include "sim/gpu_spec.h"

namespace braid {

/// What a kernel runs out of first when an SM is filled with its blocks.
enum class Room { Blocks, Threads, Registers, SharedMemory };
std::string_view name(Room room);

struct Filling {
  int blocks_per_sm = 0;  ///< at most
  Room limit = Room::Blocks;
  double fills =
      0;  ///< how often the kernel's blocks fill the GPU: below 1 there is room beside it
};
Filling filling_of(const sim::GpuSpec& gpu, const Footprint& launch);

}  // namespace braid
