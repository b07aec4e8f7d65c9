#pragma once

#include "device/device.h"

namespace braid::cpu {

/// Meter::measure_nodes() on lanes.
void measure_nodes(const Device& device, const Graph& lowered, std::span<Probe> probes,
                   const MeasureOptions& options, const Watch& watch);

}  // namespace braid::cpu
