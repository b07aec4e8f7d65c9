#pragma once

#include <vector>

#include "ops/op.h"

namespace braid {

/// An Einsum as loops over labels: first those of the output, in its order, then those summed over.
struct EinsumGeometry {
  Dims extents;                 ///< of each label
  std::size_t output_rank = 0;  ///< this many labels, the first ones, are the output's axes
  /// The stride of each operand along each label: 0 where it lacks the label or repeats along it. A
  /// label that an operand has twice walks its diagonal.
  std::vector<Dims> strides;
  std::vector<std::vector<std::size_t>> labels;  ///< of each operand's axes

  Dims output_dims() const {
    return {extents.begin(), extents.begin() + static_cast<std::ptrdiff_t>(output_rank)};
  }
  bool operator==(const EinsumGeometry&) const = default;
};

/// Throws Model, saying what is wrong with the equation or which extents do not match.
EinsumGeometry einsum_geometry(const OpCall& call);

}  // namespace braid
