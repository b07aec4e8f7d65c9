#pragma once

#include <memory>

#include "device/device.h"
#include "device/device_options.h"

namespace braid::cpu {

/// The processor that Braid runs on. Throws Usage for a negative number of threads.
std::unique_ptr<Device> make_device(const DeviceOptions& options);

}  // namespace braid::cpu
