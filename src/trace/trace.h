#pragma once

#include <string>
#include <vector>

namespace braid {

/// Something that happened on a stream. Times count from the start of the run.
struct TraceEvent {
  std::string name;      ///< the node's name
  std::string category;  ///< the operator, or "wait"
  int stream = 0;
  double begin_us = 0;
  double end_us = 0;
};

/// What happened when, in one run.
struct Trace {
  std::vector<TraceEvent> events;
};

/// Chrome's trace-event JSON, a row per stream: opens in Perfetto and chrome://tracing.
std::string to_chrome_json(const Trace& trace);

}  // namespace braid
