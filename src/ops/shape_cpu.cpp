#include "device/cpu/kernels/copies.h"
#include "ops/kernels_cpu.h"

namespace braid::cpu {

std::optional<Way> prepare_copy(const OpCall& call) {
  if (call.outputs.size() != 1) return std::nullopt;
  return prepare_copy_in(call, {});
}

}  // namespace braid::cpu
