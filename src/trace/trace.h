#pragma once

#include <cstdint>
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
  std::int32_t node = -1;   ///< the node's id in the lowered graph
  std::string kernel = {};  ///< which of the node's kernels it was, where nodes have several

  bool is_wait() const;
};

/// The category of events in which a stream did nothing but wait for another.
inline constexpr std::string_view kWaitCategory = "wait";

inline bool TraceEvent::is_wait() const { return category == kWaitCategory; }

/// A share of something, from 0 to 1, that was in use: `value` holds from `at_us` to the next
/// point.
struct TraceSeries {
  struct Point {
    double at_us = 0;
    double value = 0;
  };
  std::string name;
  std::vector<Point> points;
};

/// What happened when, in one run.
struct Trace {
  std::vector<TraceEvent> events;
  std::vector<TraceSeries> series = {};
};

}  // namespace braid
