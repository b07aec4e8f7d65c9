#pragma once

#include <string>
#include <string_view>

namespace braid {

/// Whether lanes are tied to cores. Auto: only if the process may use some of the machine's cores,
/// not all, because then they have been shared out. The thread that calls Program::run() is never
/// tied.
enum class Pin { Auto, On, Off };
/// "auto", "on", "off". Throws Usage for any other name.
Pin pin_named(std::string_view name);

struct DeviceOptions {
  /// Lanes, each for one core; 0: as many as the affinity mask and the control groups' quota allow.
  int threads = 0;
  Pin pin = Pin::Auto;
  /// Use no more than these instructions: "baseline", "avx2", "avx512" (device/cpu/machine/isa.h).
  /// Holds for the whole process. Empty: the best that there are.
  std::string isa = {};

  bool operator==(const DeviceOptions&) const = default;
};

}  // namespace braid
