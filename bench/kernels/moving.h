#pragma once

#include <optional>

#include "device/cpu/kernels/kernel.h"
#include "device/one_node.h"

namespace braid::kernels_bench {

/// For a depthwise convolution, which memory and caches bound: reads its input and writes its
/// output once each, and does nothing else. Nothing for other nodes.
std::optional<cpu::Way> moving(const OneNode& one);

}  // namespace braid::kernels_bench
