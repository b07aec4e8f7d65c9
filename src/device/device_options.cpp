#include "device/device_options.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace braid {

Pin pin_named(std::string_view name) {
  if (name == "auto") return Pin::Auto;
  if (name == "on") return Pin::On;
  if (name == "off") return Pin::Off;
  raise(ErrorKind::Usage, fmt::format("lanes can be pinned auto, on or off, not {}", quote(name)));
}

}  // namespace braid
