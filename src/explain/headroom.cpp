#include "explain/headroom.h"

#include <algorithm>

namespace braid {

double start_us(const Timeline& timeline) {
  double start = timeline.end_us;
  for (const auto& stream : timeline.streams)
    for (const Timeline::Span& span : stream)
      if (span.end_us > span.begin_us) start = std::min(start, span.begin_us);
  return start;
}

double headroom_us(const Subject& subject) {
  const double running_us = subject.timeline.end_us - start_us(subject.timeline);
  return std::max(0.0, running_us - subject.bounds.time_us());
}

}  // namespace braid
