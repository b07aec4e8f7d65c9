#pragma once

#include <optional>

#include "cost/simulated_time.h"
#include "device/device.h"
#include "pipeline/prepare.h"
#include "plan/timeline.h"

namespace braid {

/// When the steps of a Plan are thought to run.
struct Prediction {
  Timeline timeline;
  std::optional<SimulatedTime> simulated;  ///< on a simulated device: with its uncertainty
};

/// By the device's own simulator if it is a simulated one, else by that of lanes
/// (schedule/lane_simulator.h) with the costs by which the Plan was made.
Prediction predict(const Prepared& prepared, const Device& device);

/// When the steps of a Plan ran, by a Trace of it. Steps without events take no time.
Timeline timeline_of(const Graph& lowered, const Plan& plan, const Trace& trace);

}  // namespace braid
