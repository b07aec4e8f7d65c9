#pragma once

#include <memory>

#include "device/device.h"

namespace braid::cpu {

/// Makes a Plan runnable; see Device::compile.
std::unique_ptr<Program> make_program(const Graph& lowered, const Plan& plan);

}  // namespace braid::cpu
