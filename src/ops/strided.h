#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <braid/tensor.h>

namespace braid {

/// Elements by which a step along each axis moves in a dense row-major tensor.
Dims dense_strides(const Dims& dims);

/// Drops axes of length one and joins neighbours that all operands cross without a jump, so that
/// rows get as long as they can. `strides` holds one entry per axis for each operand.
void join_axes(Dims& dims, std::span<Dims> strides);

/// Walks the index space `dims` in row-major order, for N operands with the given strides (negative
/// and zero ones included). Calls `body(offsets, steps, count)` once for each innermost row:
/// operand k's elements are offsets[k], offsets[k] + steps[k], … (`count` of them). Nothing happens
/// if a dimension is 0; a scalar is one row of one element.
template <std::size_t N, class Body>
void each_row(Dims dims, std::array<Dims, N> strides, Body&& body) {
  if (element_count(dims) == 0) return;
  join_axes(dims, strides);
  std::array<std::int64_t, N> offsets{};
  std::array<std::int64_t, N> steps{};
  std::int64_t count = 1;
  if (!dims.empty()) {
    count = dims.back();
    dims.pop_back();
    for (std::size_t k = 0; k < N; ++k) {
      steps[k] = strides[k].back();
      strides[k].pop_back();
    }
  }
  Dims at(dims.size(), 0);
  while (true) {
    body(offsets, steps, count);
    std::size_t axis = dims.size();
    while (axis > 0 && at[axis - 1] + 1 == dims[axis - 1]) {
      --axis;
      for (std::size_t k = 0; k < N; ++k) offsets[k] -= at[axis] * strides[k][axis];
      at[axis] = 0;
    }
    if (axis == 0) return;
    ++at[axis - 1];
    for (std::size_t k = 0; k < N; ++k) offsets[k] += strides[k][axis - 1];
  }
}

/// Copies the elements of a strided view, starting at `first`, to a dense tensor of shape `dims`.
/// `bytes` is the size of an element.
void copy_strided(std::span<const std::byte> from, std::int64_t first, const Dims& dims,
                  const Dims& strides, std::span<std::byte> to, std::int64_t bytes);

}  // namespace braid
