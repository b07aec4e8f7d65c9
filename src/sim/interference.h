#pragma once

#include <array>
#include <string>
#include <vector>

#include "sim/kernel.h"

namespace braid::sim {

/// What two kernels do to each other side by side.
struct Interference {
  std::array<KernelClass, 2> classes = {};
  std::array<double, 2> slowdowns = {1, 1};  ///< how many times as long as alone each takes
  bool stated = false;                       ///< by the GPU's spec; else it follows from the model
  std::string source;                        ///< "model", or what the spec says
};

/// The blocks of each, but of no more of them than fill half of the device, run while blocks of the
/// other do, and neither waits for room or for a launch. Both are simulated, so what the spec
/// states counts as far as their blocks press on each other.
Interference interference(const GpuSpec& gpu, const Kernel& first, const Kernel& second);

/// The same for kernels of many blocks: tiles of a large matrix product (compute) and elements of
/// long tensors (memory): compute beside compute, compute beside memory, memory beside memory.
/// Empty if the GPU's spec lacks the families of these kernels.
std::vector<Interference> class_interference(const GpuSpec& gpu);

}  // namespace braid::sim
