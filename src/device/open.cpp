#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "device/cpu/cpu_device.h"
#include "device/device.h"
#include "device/sim/sim_device.h"

namespace braid {

Pin pin_named(std::string_view name) {
  if (name == "auto") return Pin::Auto;
  if (name == "on") return Pin::On;
  if (name == "off") return Pin::Off;
  raise(ErrorKind::Usage, fmt::format("lanes can be pinned auto, on or off, not {}", quote(name)));
}

std::unique_ptr<Device> open_device(std::string_view name, const DeviceOptions& options) {
  if (name == "cpu") return cpu::make_device(options);
  if (name.starts_with("sim:")) return sim::make_device(name.substr(4));
  raise(ErrorKind::Usage, fmt::format("there is no device {}; there are: cpu, and sim:<gpu> for a "
                                      "simulated GPU (sim:a100)",
                                      quote(name)));
}

}  // namespace braid
