#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "device/cpu/cpu_device.h"
#include "device/device.h"

namespace braid {

std::unique_ptr<Device> open_device(std::string_view name, const DeviceOptions& options) {
  if (name == "cpu") return cpu::make_device(options);
  raise(ErrorKind::Usage, fmt::format("there is no device {}; there is: cpu", quote(name)));
}

}  // namespace braid
