#pragma once

#include <cstdint>
#include <optional>

#include "graph/graph.h"
#include "plan/plan.h"
#include "plan/timeline.h"

/// Smaller arenas at the price of waits.

namespace braid {

/// Places values as if every step ran when the timeline says, and adds the waits that make it so: a
/// step that writes bytes waits for the last that used them before. By the timeline that wait is
/// over when the step begins, so as long as it is right the wait costs next to nothing. Steps stay
/// where they are; waits are only added. The arena is not larger than place() makes it, or hardly.
///
/// The timeline is one of this Plan: what comes after a step begins when that has ended, or later.
void place_by_time(const Graph& graph, Plan& plan, const Timeline& timeline);

/// When the steps would run if none began while what is in use would take more than `bytes`. They
/// keep their streams, order and duration. Nothing if some step can never begin.
std::optional<Timeline> throttled(const Graph& graph, const Plan& plan, const Timeline& timeline,
                                  std::int64_t bytes);

}  // namespace braid
