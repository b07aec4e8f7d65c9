#include <algorithm>

#include "device/cpu/kernels/spatial_mean.h"
#include "ops/kernels_cpu.h"
#include "ops/shared/axes.h"

namespace braid::cpu {

std::optional<Way> prepare_spatial_mean(const KernelCall& call) {
  if (call.op.rank(0) < 3 || (call.op.has(1) && call.op.known[1] == nullptr) || !call.op.has(1))
    return std::nullopt;
  std::vector<std::int64_t> axes =
      normal_axes(call.op.op, call.op.known_integers(1, "the axes"), call.op.rank(0));
  std::sort(axes.begin(), axes.end());
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (axes[i] != static_cast<std::int64_t>(i) + 2) return std::nullopt;
  if (axes.size() + 2 != call.op.dims(0).size()) return std::nullopt;
  return prepare_mean(call);
}

}  // namespace braid::cpu
