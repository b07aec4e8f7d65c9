#include "device/cpu/lanes/memory_needs.h"

#include <algorithm>

#include "base/checked.h"
#include "device/cpu/kernels/kernel_store.h"
#include "device/cpu/lanes/lane_settings.h"
#include "plan/one_stream.h"
#include "plan/view.h"

namespace braid::cpu {

std::int64_t packed_bytes(const Graph& lowered) {
  const LaneSettings settings;
  KernelStore kernels(lowered);
  std::int64_t bytes = 0;
  for (const NodeId id : lowered.node_ids()) {
    const Node& node = lowered.node(id);
    if (is_view(node)) continue;
    const Way& way = kernels.way_of(id);
    bytes = checked_add(bytes, way.extra_bytes);
    for (const std::size_t input : way.packed_inputs)
      bytes = checked_add(bytes, byte_size(lowered.value(node.inputs[input]).type));
  }
  return bytes;
}

std::int64_t kept_arena_bytes(const Graph& lowered, const Plan& plan, int lanes, int calls) {
  const int runs = std::min(calls, lanes);
  if (plan.streams.size() <= 1 || runs < lanes) return checked_mul(plan.arena_bytes, runs);
  // All but the last may have found a lane free.
  const std::int64_t one_lane = one_stream(lowered, plan.device).arena_bytes;
  return checked_add(checked_mul(plan.arena_bytes, std::max(1, lanes - 1)),
                     checked_mul(one_lane, lanes));
}

}  // namespace braid::cpu
