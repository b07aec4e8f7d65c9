#include "devices/open.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "device/cpu/cpu_device.h"
#include "device/sim/sim_device.h"

namespace braid {

std::unique_ptr<Device> open_device(std::string_view name, const DeviceOptions& options) {
  if (name == "cpu") return cpu::make_device(options);
  if (name.starts_with("sim:")) return sim::make_device(name.substr(4), options);
  raise(ErrorKind::Usage, fmt::format("there is no device {}; there are: cpu, and sim:<gpu> for a "
                                      "simulated GPU (sim:a100)",
                                      quote(name)));
}

}  // namespace braid
