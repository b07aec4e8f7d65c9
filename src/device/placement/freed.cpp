#include "device/placement/freed.h"

#include <algorithm>

#include "ops/shared/elements.h"
#include "plan/accesses.h"
#include "plan/happens_before.h"
#include "plan/view.h"

namespace braid {
namespace {

/// Of the values that share bytes, one alone owns them: what joins others, else what is no view.
bool owns_bytes(const Graph& graph, const Plan& plan, ValueId id) {
  const Node& producer = graph.node(graph.value(id).producer);
  return plan.placements[id.at()].strides.empty() &&
         (!is_view(producer) || elements_of(producer) == Elements::Joined);
}

}  // namespace

std::vector<FreedBytes> freed_bytes(const Graph& lowered, const Plan& plan) {
  const HappensBefore order(lowered, plan);
  const Accesses accesses(lowered, plan);
  std::vector<FreedBytes> freed;
  for (const ValueId id : lowered.value_ids()) {
    if (!lives_in_arena(lowered, id) || !owns_bytes(lowered, plan, id)) continue;
    const Frontier& users = accesses.users(id);
    const auto is_last = [&](StepRef step) {
      return std::ranges::all_of(
          users, [&](StepRef other) { return other == step || order.before(other, step); });
    };
    const auto last = std::ranges::find_if(users, is_last);
    if (last == users.end()) continue;
    const std::int64_t begin = plan.placements[id.at()].offset;
    freed.push_back({*last, {begin, begin + byte_size(lowered.value(id).type)}});
  }
  return freed;
}

}  // namespace braid
