#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "device/device.h"
#include "device/device_options.h"

namespace braid {

/// A kind of device, by the name under which it is opened: `name`, or `name:which` where there are
/// several.
struct DeviceRow {
  std::string_view name;
  std::string_view which = {};    ///< what to say behind the colon, for a list; empty: nothing
  std::string_view example = {};  ///< something that can be said there
  std::string_view help = {};     ///< what that is then, if the name does not tell
  std::unique_ptr<Device> (*make)(std::string_view which, const DeviceOptions& options) = nullptr;
};

/// One row per kind of device, in the order in which they are shown.
std::span<const DeviceRow> device_rows();

/// "cpu", or "sim:<gpu>" for a simulated GPU (device/sim/sim_device.h). Throws Usage, listing what
/// there is, for any other name.
std::unique_ptr<Device> open_device(std::string_view name, const DeviceOptions& options = {});

}  // namespace braid
