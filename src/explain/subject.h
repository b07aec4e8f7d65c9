#pragma once

#include <span>
#include <string_view>

#include "cost/cost_model.h"
#include "plan/constraints.h"
#include "plan/plan.h"
#include "plan/timeline.h"
#include "schedule/bounds.h"
#include "sim/gpu_spec.h"
#include "sim/kernels.h"

namespace braid {

/// A Plan that is to be explained, with all that is known about it. Refers to what it is given.
struct Subject {
  const Graph& graph;  ///< lowered
  const Plan& plan;    ///< that passes verify() for it
  const Timeline& timeline;
  const CostModel& costs;
  const DeviceSpec& device;
  Bounds bounds;
  std::span<const Constraint> constraints = {};
  const sim::GpuSpec* gpu = nullptr;  ///< on a simulated GPU
  /// Waits may have been added to save memory: the Plan was made within a budget, or loaded.
  bool thrifty = false;
  sim::KernelOptions kernels = {};  ///< that were asked for, on a simulated GPU
  /// The scheduler that was asked, whoever of those that it asked made the Plan; empty: the Plan
  /// says.
  std::string_view asked = {};
  bool more_cores = false;  ///< the machine has cores that the device was not given
};

}  // namespace braid
