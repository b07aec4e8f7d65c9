#pragma once

#include "ops/op.h"

namespace braid {

/// MatMul(a, b, bias?, residual?) as a batch of products [rows,depth] x [depth,columns], numpy's
/// rules for broadcasting and for vectors applied. Checked.
struct MatMulGeometry {
  std::int64_t rows = 1;
  std::int64_t depth = 1;
  std::int64_t columns = 1;
  Dims batch;   ///< the broadcast leading axes
  Dims output;  ///< the axes that a vector operand adds are left out

  Dims a_strides;  ///< elements from matrix to matrix along each axis of `batch`; 0: repeated
  Dims b_strides;

  bool operator==(const MatMulGeometry&) const = default;
};

/// Throws Model, saying what does not fit.
MatMulGeometry matmul_geometry(const OpCall& call);

/// Gemm(a, b, c?, residual?): activation(alpha * op(a) * op(b) + beta * c + residual), where op
/// transposes or not and c is broadcast to [rows,columns].
struct GemmGeometry {
  std::int64_t rows = 0;
  std::int64_t depth = 0;
  std::int64_t columns = 0;
  bool transpose_a = false;
  bool transpose_b = false;
  float alpha = 1;
  float beta = 1;

  bool operator==(const GemmGeometry&) const = default;
};

/// Throws Model, saying what does not fit.
GemmGeometry gemm_geometry(const OpCall& call);

}  // namespace braid
