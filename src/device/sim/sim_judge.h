#pragma once

#include <memory>

#include "device/sim/sim_program.h"
#include "schedule/judge.h"

namespace braid::sim {

/// Searches see the mean over the nominal model and a few draws that nothing else sees, each in
/// proportion to what the kernels alone take there: what is good in one model only is not worth
/// finding. Other draws are unseen models, and others
/// still compare graphs. The settings and the graph must outlive it.
std::unique_ptr<Judge> make_judge(const SimSettings& settings, const Graph& lowered);

}  // namespace braid::sim
