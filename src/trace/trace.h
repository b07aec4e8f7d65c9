#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace braid {

/// Something that happened on a stream. Times count from the start of the run.
struct TraceEvent {
  std::string name;      ///< the node's name
  std::string category;  ///< the operator, or kWaitCategory
  int stream = 0;
  double begin_us = 0;
  double end_us = 0;
  int part = 0;  ///< which of the `parts` of the node
  int parts = 1;

  bool is_wait() const;
};

/// Of events in which a stream did nothing but wait for another.
inline constexpr std::string_view kWaitCategory = "wait";

inline bool TraceEvent::is_wait() const { return category == kWaitCategory; }

/// What happened when, in one run.
struct Trace {
  std::vector<TraceEvent> events;
};

/// Chrome's trace-event JSON, a row per stream: opens in Perfetto and chrome://tracing.
std::string to_chrome_json(const Trace& trace);

}  // namespace braid
