#pragma once

#include <memory>

#include "device/device.h"
#include "sim/plan_model.h"

namespace braid::sim {

/// The Plan on the modelled GPU. run() throws Unsupported; simulate() tells times.
std::unique_ptr<Program> make_program(const SimSettings& settings, const Graph& lowered,
                                      const Plan& plan);

}  // namespace braid::sim
