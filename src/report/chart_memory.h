#pragma once

#include <vector>

#include "graph/graph.h"
#include "plan/plan.h"
#include "report/series.h"

namespace braid {

/// When a step was at work, by stream and index. A step that does nothing has begin = end.
using StepTimes = std::vector<std::vector<Extent>>;

/// What lies in the arena, and when: a buffer, of one value or of several that views join, from the
/// begin of the first step that writes it to the end of the last that uses it; scratch while its
/// step runs. Amounts are bytes.
std::vector<Extent> arena_use(const Graph& lowered, const Plan& plan, const StepTimes& times);

}  // namespace braid
