#pragma once

#include <functional>
#include <span>
#include <string>

#include "base/progress.h"
#include "cost/cost_table.h"
#include "cost/profile_cache.h"
#include "device/device.h"
#include "device/meter.h"
#include "measure/wanted.h"

namespace braid {

/// Told of a group of operators once it was measured, or as far as it was when something threw.
using KeepProbes = std::function<void(std::span<const Wanted> group, std::span<Probe> probes)>;

/// Measures operators of a lowered graph on a device that has a meter. Those that take turns are so
/// few that their memory is bounded. Throws Cancelled if `progress` says so.
void measure_in_turns(const Device& device, const Graph& lowered, std::span<const Wanted> wanted,
                      const MeasureOptions& options, const Progress& progress,
                      const KeepProbes& keep);

/// Whether the probe could be measured, and was often enough.
bool is_measured(const Probe& probe, const MeasureOptions& options);

/// What samples of an operator come down to; there is at least one.
Measurement measurement_of(const Samples& samples, const std::string& op, double modelled_us);

}  // namespace braid
