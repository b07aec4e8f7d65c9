#pragma once

#include "device/device.h"
#include "schedule/schedulers.h"

namespace braid {

/// What a scheduler is told about a device: on a simulated one its Plans are judged by the device's
/// own simulator, elsewhere by the costs alone. The device and the graph, which it has lowered,
/// must outlive the options.
ScheduleOptions schedule_options(const Device& device, const Graph& lowered);

}  // namespace braid
