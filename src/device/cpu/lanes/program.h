#pragma once

#include <memory>

#include "device/cpu/kernels/kernel_store.h"
#include "device/cpu/lanes/lane_pool.h"
#include "device/device.h"

namespace braid::cpu {

/// Makes a Plan runnable on the lanes of a pool; see Device::compile. A Plan with several streams
/// brings one with a single stream along, which runs take when there are as many of them as lanes.
std::unique_ptr<Program> make_program(const Graph& lowered, const Plan& plan,
                                      std::shared_ptr<LanePool> pool, KernelStore& kernels);

}  // namespace braid::cpu
