#pragma once

#include <memory>

#include "device/device.h"
#include "sim/engine.h"
#include "sim/kernels.h"

namespace braid::sim {

/// How a simulated device is asked to work.
struct SimSettings {
  std::string name;  ///< "sim:a100+tf32"
  GpuSpec gpu;
  KernelOptions kernels;
  EngineOptions engine;
};

/// The Plan on the modelled GPU. run() throws Unsupported; simulate() tells times.
std::unique_ptr<Program> make_program(const SimSettings& settings, const Graph& lowered,
                                      const Plan& plan);

}  // namespace braid::sim
