#pragma once

#include <string>
#include <string_view>

#include "device/device.h"

namespace braid {

/// What the figures of a device itself (Meter::figures()) are measured with, where an
/// implementation is asked for.
inline constexpr std::string_view kCalibration = "calibration";

/// The same for which of several ways to run a node is the fastest.
inline constexpr std::string_view kWays = "ways";

/// A text about something that was measured, and the identity of the kernels behind it: what keeps
/// apart the times of two versions. The text alone if the identity is empty.
std::string with_identity(std::string text, std::string_view identity);

/// The identities of all kernels that a lowered graph uses as one; empty if none has any.
std::string kernel_identity(const Device& device, const Graph& lowered);

}  // namespace braid
