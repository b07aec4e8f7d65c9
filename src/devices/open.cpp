#include "devices/open.h"

#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/text.h"
#include "device/cpu/cpu_device.h"
#include "device/sim/sim_device.h"

namespace braid {
namespace {

constexpr auto kDevices = std::to_array<DeviceRow>({
    {.name = "cpu",
     .make = [](std::string_view,
                const DeviceOptions& options) { return cpu::make_device(options); }},
    {.name = "sim",
     .which = "<gpu>",
     .example = "a100",
     .help = "a simulated GPU",
     .make = sim::make_device},
});

std::string shown(const DeviceRow& row) {
  if (row.which.empty()) return std::string(row.name);
  return fmt::format("{0}:{1} for {2} ({0}:{3})", row.name, row.which, row.help, row.example);
}

}  // namespace

std::span<const DeviceRow> device_rows() { return kDevices; }

std::unique_ptr<Device> open_device(std::string_view name, const DeviceOptions& options) {
  const std::size_t colon = name.find(':');
  const bool says_which = colon != std::string_view::npos;
  std::vector<std::string> names;
  std::vector<std::string> whole;  // as one may have meant to type them
  for (const DeviceRow& row : kDevices) {
    if (name.substr(0, colon) == row.name && says_which != row.which.empty())
      return row.make(says_which ? name.substr(colon + 1) : std::string_view(), options);
    names.push_back(shown(row));
    whole.push_back(row.which.empty() ? std::string(row.name)
                                      : fmt::format("{}:{}", row.name, row.example));
    if (says_which && !row.which.empty())
      whole.back() = fmt::format("{}:{}", row.name, name.substr(colon + 1));
  }
  raise(ErrorKind::Usage, fmt::format("there is no device {}; there are: {}{}", quote(name),
                                      fmt::join(names, ", and "), did_you_mean(name, whole)));
}

}  // namespace braid
