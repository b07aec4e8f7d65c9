#pragma once

#include <cstdint>

#include "graph/graph.h"

namespace braid {

/// What rewriting may add to a model: a hostile model must not make folding fill the memory or run
/// for hours.
struct Allowance {
  std::int64_t bytes = 0;  ///< of new constants, beyond those whose originals vanish
  double work = 0;         ///< elements read, written and computed while folding

  /// Takes both from the allowance and returns true, or leaves it as it was and returns false.
  bool spend(std::int64_t more_bytes, double more_work);
};

/// Allows about as much again as the model's constants hold, and a little for a model without any.
Allowance allowance_of(const Graph& graph);

}  // namespace braid
