#pragma once

#include "ops/shared/window.h"

namespace braid {

/// MaxPool, AveragePool or LpPool of x [N,C,spatial...]: what attributes and shapes say, checked.
struct PoolGeometry {
  std::int64_t batch = 0;
  std::int64_t channels = 0;
  Window window;
  bool count_include_pad = false;  ///< AveragePool: divide by padding too
  bool column_major = false;       ///< MaxPool: the first spatial axis of Indices runs fastest
  std::int64_t p = 2;              ///< LpPool: the norm

  /// [N,C,spatial...]
  Dims output_dims() const;
  bool operator==(const PoolGeometry&) const = default;
};

/// Throws Model, saying what does not fit.
PoolGeometry pool_geometry(const OpCall& call);

}  // namespace braid
