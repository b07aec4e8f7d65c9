#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"
#include "plan/plan.h"
#include "plan/timeline.h"
#include "trace/trace.h"

namespace braid {

/// What went wrong in a run of a Plan, by what happened when: steps without an event, steps that
/// began before what they read was written, and bytes that were written while others used them.
/// Empty if the run was right.
///
/// A second line of defence behind verify(): it proves nothing about other runs, but it derives
/// readers and writers from the inputs of nodes and from the bytes of their values alone and shares
/// no code with the proof. Takes time in proportion to reads times steps.
std::vector<std::string> trace_faults(const Graph& lowered, const Plan& plan, const Trace& trace);
/// The same for a run that a model of the device tells of.
std::vector<std::string> trace_faults(const Graph& lowered, const Plan& plan,
                                      const Timeline& timeline);

}  // namespace braid
