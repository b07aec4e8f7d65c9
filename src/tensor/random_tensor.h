#pragma once

#include <cstdint>

#include <braid/tensor.h>

namespace braid {

/// Bounds of random numbers: floats lie between them, whole numbers and truth values (0 is false)
/// are one of low, low + 1, …, high.
struct NumberRange {
  double low = 0;
  double high = 1;
};

/// A tensor that the seed decides, the same on every machine.
Tensor random_tensor(const TensorType& type, NumberRange range, std::uint64_t seed);

}  // namespace braid
