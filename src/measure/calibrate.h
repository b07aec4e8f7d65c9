#pragma once

#include <optional>

#include "cost/profile_cache.h"
#include "device/device.h"
#include "measure/profile.h"

namespace braid {

/// The device's facts with figures from the cache. If the cache lacks them they are measured, in
/// about a second, and kept there; or, unless `measure`, there are none. `remeasure`: also if the
/// cache has them. `cache` may be null.
std::optional<DeviceSpec> calibrated_spec(const Device& device, ProfileCache* cache,
                                          const ProfileOptions& options);

}  // namespace braid
