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

/// The bytes of every value that owns them and has a last user that is the same step in every run.
std::vector<FreedBytes> freed_bytes(const Graph& lowered, const Plan& plan);

}  // namespace braid
