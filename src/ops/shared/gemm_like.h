#pragma once

#include <algorithm>

#include "base/checked.h"
#include "ops/shared/accumulate.h"
#include "ops/shared/epilogue.h"

namespace braid {

/// The launch of `batch` matrix products with an [m,n] result: tiles of 128 by 64.
inline Footprint gemm_footprint(std::int64_t m, std::int64_t n, std::int64_t batch) {
  Footprint result;
  result.blocks =
      std::max<std::int64_t>(1, checked_mul(batch, checked_mul(ceil_div(m, 128), ceil_div(n, 64))));
  result.threads = 256;
  result.registers = 128;
  result.shared_bytes = 32 * 1024;
  return result;
}

inline Footprint one_output_per_thread(std::int64_t outputs) {
  Footprint result;
  result.blocks = std::max<std::int64_t>(1, ceil_div(outputs, result.threads));
  return result;
}

/// Finishes output element `at`, whose sum (bias included) is done: adds the residual and applies
/// the activation.
template <class T>
void write_result(const Epilogue& epilogue, std::span<const Tensor> inputs, Accumulator<T> sum,
                  std::size_t at, std::span<T> result) {
  if (epilogue.residual)
    sum += static_cast<Accumulator<T>>(load(inputs[Epilogue::kResidualInput].data<T>()[at]));
  result[at] = store<T>(epilogue.activate(static_cast<Compute<T>>(sum)));
}

}  // namespace braid
