#pragma once

#include "ops/epilogue.h"

namespace braid::cpu {

/// Rows of results that lie `stride` apart.
struct ResultRows {
  float* first = nullptr;
  std::int64_t stride = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

/// result = activation(result + bias + residual), where `bias` has a number for each column and
/// `residual` lies `residual_stride` apart; null: none.
void finish(const Epilogue& epilogue, const ResultRows& results, const float* bias,
            const float* residual, std::int64_t residual_stride);

}  // namespace braid::cpu
