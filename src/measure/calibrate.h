#pragma once

#include <optional>

#include "base/progress.h"
#include "cost/profile_cache.h"
#include "device/device.h"

namespace braid {

/// The device's facts with figures from the cache. If the cache lacks them they are measured, in
/// about a second, and kept there; or, unless `measure`, there are none. `cache` may be null.
std::optional<DeviceSpec> calibrated_spec(const Device& device, ProfileCache* cache, bool measure,
                                          const Progress& progress);

}  // namespace braid
