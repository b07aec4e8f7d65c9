#include "explain/explanation.h"

#include <algorithm>

#include "explain/advice.h"
#include "explain/headroom.h"
#include "explain/side_by_side.h"

namespace braid {
namespace {

/// An operator that takes no longer than this many launches is small.
constexpr double kFewLaunches = 3;

double parallelism(const Timeline& timeline) {
  double busy_us = 0;
  for (const auto& stream : timeline.streams)
    for (const Timeline::Span& span : stream) busy_us += span.end_us - span.begin_us;
  return timeline.end_us > 0 ? busy_us / timeline.end_us : 0;
}

void count_small(const Subject& subject, Explanation& found) {
  for (NodeId id : subject.graph.node_ids()) {
    if (is_view(subject.graph.node(id))) continue;
    ++found.operators;
    const double time_us = subject.costs.cost(subject.graph, id).time_us;
    if (time_us > kFewLaunches * subject.device.launch_us) continue;
    ++found.small;
    found.small_us += time_us;
  }
}

}  // namespace

Explanation explain(const Subject& subject, const ExplainOptions& options) {
  Explanation found;
  found.predicted_us = subject.timeline.end_us;
  found.start_us = start_us(subject.timeline);
  found.bounds = subject.bounds;
  found.headroom_us = headroom_us(subject);
  found.parallelism = parallelism(subject.timeline);
  for (const auto& stream : subject.plan.streams)
    for (const Step& step : stream) found.waits += step.waits.size();
  count_small(subject, found);
  const Pairs pairs(subject);
  if (options.asked.empty()) {
    found.survey = pairs.survey(options.operators, options.pairs);
    found.pairs = found.survey.pairs;
    if (subject.gpu != nullptr) found.overlapping = found.survey.overlapping;
  }
  for (const auto& [a, b] : options.asked) found.pairs.push_back(pairs.explain(a, b));
  for (std::vector<Pair>* told : {&found.pairs, &found.overlapping})
    for (Pair& pair : *told)
      if (pair.reason != Reason::Dependency)
        pair.side_by_side = side_by_side(subject, pair.a, pair.b);
  if (subject.gpu != nullptr) found.interference = sim::class_interference(*subject.gpu);
  found.advice = advice_on(subject, found);
  return found;
}

}  // namespace braid
