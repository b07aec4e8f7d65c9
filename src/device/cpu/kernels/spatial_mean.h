#pragma once

#include "device/cpu/kernels/kernel.h"

namespace braid::cpu {

/// The mean over all axes from the third on, of channels-last values. Each channel is summed pixel
/// by pixel, whatever part it is in.
std::optional<Way> prepare_mean(const KernelCall& call);

}  // namespace braid::cpu
