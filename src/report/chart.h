#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "plan/plan.h"
#include "trace/trace.h"

namespace braid {

/// A step of a Plan, or one of its kernels, as a run showed it.
struct ChartSpan {
  StepRef step;
  NodeId node;
  double begin_us = 0;
  double end_us = 0;
  std::string kernel = {};               ///< where nodes have several
  std::vector<std::int32_t> waits = {};  ///< spans of other streams that had to end before
};

/// The picture of one run of a Plan: what happened when, and how much was in use.
struct Chart {
  double end_us = 0;
  std::vector<ChartSpan> spans;    ///< stream by stream, in the order of their begin
  std::vector<std::int32_t> path;  ///< the spans of the critical path, first to last
  std::vector<TraceSeries> usage;  ///< shares of the device
  TraceSeries memory;              ///< bytes of the arena that hold something still needed
  std::int64_t peak_bytes = 0;     ///< the most of these
  double path_us() const;          ///< what the steps of the critical path take
};

/// Draws a Trace of the Plan. Views and others that do nothing have no spans; what waits for them
/// waits for what came before them. If the Trace says nothing of its own about usage, that is how
/// many of `lanes` were at work.
///
/// The critical path is that of this run: from the span that ended last back to the one, of those
/// it had to come after, that ended last, and so on.
Chart chart_of(const Graph& lowered, const Plan& plan, const Trace& trace, int lanes);

}  // namespace braid
