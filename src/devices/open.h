#pragma once

#include <memory>
#include <string_view>

#include "device/device.h"
#include "device/device_options.h"

namespace braid {

/// "cpu", or "sim:<gpu>" for a simulated GPU (device/sim/sim_device.h). Throws Usage, listing what
/// there is, for any other name.
std::unique_ptr<Device> open_device(std::string_view name, const DeviceOptions& options = {});

}  // namespace braid
