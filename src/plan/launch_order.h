#pragma once

#include <vector>

#include "plan/plan.h"

namespace braid {

/// The order in which one thread hands the steps to their streams: a step after the one before it
/// on its stream and after all that it waits for; among those that may come next the one of least
/// `launch`, then of the least stream. A device that fills itself with work in the order in which
/// it comes (a GPU) runs best what a scheduler launches first; to others the order means nothing.
///
/// The Plan is one that HappensBefore accepts.
std::vector<StepRef> launch_order(const Plan& plan);

}  // namespace braid
