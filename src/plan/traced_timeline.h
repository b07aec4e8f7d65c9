#pragma once

#include "plan/timeline.h"
#include "trace/trace.h"

namespace braid {

/// The times when the steps of a Plan ran, by a Trace of it. Steps without events take no time.
Timeline traced_timeline(const Graph& lowered, const Plan& plan, const Trace& trace);

}  // namespace braid
