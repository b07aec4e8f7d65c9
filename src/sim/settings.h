#pragma once

#include <string>

#include "sim/engine.h"
#include "sim/known_ways.h"

namespace braid::sim {

/// Who makes kernels of a graph.
enum class Runtime {
  Braid,      ///< Concat and Split as views, elementwise operators joined
  Framework,  ///< an engine over cuDNN: a kernel for each node of the canonical graph
  Eager       ///< PyTorch in a CUDA Graph: a kernel for each node of the model
};

/// How a simulated device is asked to work.
struct SimSettings {
  std::string name;  ///< "sim:a100+tf32"
  GpuSpec gpu;
  Runtime runtime = Runtime::Braid;
  KernelOptions kernels;
  EngineOptions engine;
  std::shared_ptr<KnownWays> ways;  ///< of `gpu` with `kernels`
};

}  // namespace braid::sim
