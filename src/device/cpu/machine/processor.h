#pragma once

#include <string>

#include "device/cpu/machine/machine.h"

namespace braid::cpu {

/// The machine at hand, as the processor and the system tell. Where they do not, or what cannot be,
/// it is as most are (the defaults of Machine). Choices read machine() instead.
const Machine& ask_processor();

/// The size of the largest cache that the first processor has, as the system tells; 0 if it does
/// not. `sys` is where the system's tables are.
std::int64_t last_level_bytes(const std::string& sys = "/sys");

}  // namespace braid::cpu
