#pragma once

#include <vector>

#include "ops/op.h"

namespace braid {

/// The axes that a Reduce* node reduces, in ascending order. Throws Model, or Unsupported if its
/// axes are not known.
std::vector<std::int64_t> reduced_axes(const OpCall& call);

}  // namespace braid
