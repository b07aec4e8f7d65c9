#include "plan/launch_order.h"

#include <queue>
#include <tuple>

namespace braid {

std::vector<StepRef> launch_order(const Plan& plan) {
  std::vector<std::size_t> first = {0};
  for (const auto& stream : plan.streams) first.push_back(first.back() + stream.size());
  const auto number = [&](StepRef ref) {
    return first[ref.stream.at()] + static_cast<std::size_t>(ref.index);
  };
  const auto later = [&](StepRef a, StepRef b) {
    return std::tuple(step_at(plan, a).launch, a) > std::tuple(step_at(plan, b).launch, b);
  };
  std::priority_queue<StepRef, std::vector<StepRef>, decltype(later)> ready(later);
  std::vector<std::size_t> missing(first.back(), 0);
  std::vector<std::vector<StepRef>> waiting(first.back());
  for (std::size_t s = 0; s < plan.streams.size(); ++s)
    for (std::size_t i = 0; i < plan.streams[s].size(); ++i) {
      const StepRef ref{StreamId(static_cast<std::int64_t>(s)), static_cast<std::int32_t>(i)};
      const Step& step = plan.streams[s][i];
      for (StepRef wait : step.waits) waiting[number(wait)].push_back(ref);
      missing[number(ref)] = step.waits.size() + (i > 0 ? 1 : 0);
      if (missing[number(ref)] == 0) ready.push(ref);
    }

  std::vector<StepRef> order;
  order.reserve(first.back());
  while (!ready.empty()) {
    const StepRef ref = ready.top();
    ready.pop();
    order.push_back(ref);
    const auto release = [&](StepRef after) {
      if (--missing[number(after)] == 0) ready.push(after);
    };
    for (StepRef after : waiting[number(ref)]) release(after);
    if (static_cast<std::size_t>(ref.index) + 1 < plan.streams[ref.stream.at()].size())
      release({ref.stream, ref.index + 1});
  }
  return order;
}

}  // namespace braid
