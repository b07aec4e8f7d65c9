#include "device/cpu/kernels/spatial_mean.h"
#include "ops/kernels_cpu.h"

namespace braid::cpu {

std::optional<Way> prepare_global_average_pool(const KernelCall& call) {
  return prepare_mean(call);
}

}  // namespace braid::cpu
