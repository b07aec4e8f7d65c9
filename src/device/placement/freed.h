#pragma once

#include <vector>

#include "plan/plan.h"
#include "plan/region.h"

namespace braid {

/// Bytes of the arena that nothing reads after a step.
struct FreedBytes {
  StepRef after;
  ByteRange bytes;
};

/// Of every value that owns its bytes and has a last user, if in every run that is the same step.
std::vector<FreedBytes> freed_bytes(const Graph& lowered, const Plan& plan);

}  // namespace braid
