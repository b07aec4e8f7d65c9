#pragma once

#include "plan/plan.h"

namespace braid {

/// Elements from a row of a placed value to the next, a row being the last axis in memory; 0 if
/// they follow one another, or if it has no strides of its own. Throws Unsupported if more than
/// rows lie apart.
std::int64_t pitch_of(const Value& value, const Placement& placement);

}  // namespace braid
