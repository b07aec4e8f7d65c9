#pragma once

#include "base/samples.h"
#include "cost/simulated_time.h"

namespace braid {

/// The verdict of runs by turns: a tie if the interval of how many times as fast one is holds 1.
Verdict verdict_of(const RatioInterval& times_as_fast);

/// The interval of the ratio turned round.
RatioInterval inverse(const RatioInterval& of);

}  // namespace braid
