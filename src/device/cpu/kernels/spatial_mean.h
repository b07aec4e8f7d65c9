#pragma once

#include "device/cpu/kernels/kernel.h"

namespace braid::cpu {

/// The mean over all axes from the third on, of channels-last values. Each channel is added up in
/// the same order whatever part it is in, a few pixels in float and these sums in double.
std::optional<Way> prepare_mean(const KernelCall& call);

}  // namespace braid::cpu
