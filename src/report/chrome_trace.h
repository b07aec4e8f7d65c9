#pragma once

#include <string>

#include "cost/cost_table.h"
#include "graph/graph.h"
#include "plan/plan.h"
#include "trace/trace.h"

namespace braid {

/// What ran, where, and what it was expected to cost.
struct TracedRun {
  std::string model;      ///< its name
  std::string hardware;   ///< Device::fingerprint()
  std::string version;    ///< of Braid
  std::string kept = {};  ///< why this Plan, if another was tried as well
  const Graph& lowered;
  const Plan& plan;
  const DeviceSpec& device;
  const CostTable& costs;
  bool simulated = false;
};

/// Chrome's trace-event JSON (docs/formats.md): a row per stream, a slice per event, an arrow per
/// wait and a counter per series. It opens in Perfetto and chrome://tracing, also joined with
/// others: the ids of processes, rows and arrows follow from the content. The Trace is one of the
/// Plan.
std::string chrome_trace(const TracedRun& run, const Trace& trace);

}  // namespace braid
