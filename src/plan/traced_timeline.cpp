#include "plan/traced_timeline.h"

#include <algorithm>

#include "plan/happens_before.h"

namespace braid {

Timeline traced_timeline(const Graph& lowered, const Plan& plan, const Trace& trace) {
  Timeline timeline;
  std::vector<std::vector<bool>> seen;
  for (const auto& stream : plan.streams) {
    timeline.streams.emplace_back(stream.size());
    seen.emplace_back(stream.size(), false);
  }
  const auto steps = steps_by_node(lowered, plan);
  for (const TraceEvent& event : trace.events) {
    timeline.end_us = std::max(timeline.end_us, event.end_us);
    if (event.is_wait() || event.node < 0 || static_cast<std::size_t>(event.node) >= steps.size())
      continue;
    for (StepRef ref : steps[static_cast<std::size_t>(event.node)]) {
      if (step_at(plan, ref).part != event.part) continue;
      const auto index = static_cast<std::size_t>(ref.index);
      Timeline::Span& span = timeline.streams[ref.stream.at()][index];
      const bool first = !seen[ref.stream.at()][index];
      span.begin_us = first ? event.begin_us : std::min(span.begin_us, event.begin_us);
      span.end_us = first ? event.end_us : std::max(span.end_us, event.end_us);
      seen[ref.stream.at()][index] = true;
    }
  }
  const HappensBefore order(lowered, plan);
  for (StepRef ref : order.order()) {
    if (seen[ref.stream.at()][static_cast<std::size_t>(ref.index)]) continue;
    double now = ref.index > 0 ? timeline.at({ref.stream, ref.index - 1}).end_us : 0;
    for (StepRef wait : step_at(plan, ref).waits) now = std::max(now, timeline.at(wait).end_us);
    timeline.streams[ref.stream.at()][static_cast<std::size_t>(ref.index)] = {now, now};
  }
  return timeline;
}

}  // namespace braid
