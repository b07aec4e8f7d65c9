#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <braid/tensor.h>

#include "base/function_ref.h"

namespace braid {

/// Elements by which a step along each axis moves in a dense row-major tensor.
Dims dense_strides(const Dims& dims);

/// Drops axes of length one and joins neighbours that all operands cross without a jump, so that
/// rows get as long as they can. `strides` holds one entry per axis for each operand.
void join_axes(Dims& dims, std::span<Dims> strides);

/// What is done with a row: operand k's elements are offsets[k], offsets[k] + steps[k], … (`count`
/// of them).
using RowBody =
    FunctionRef<void(const std::int64_t* offsets, const std::int64_t* steps, std::int64_t count)>;

/// Walks the index space `dims` in row-major order, for as many operands as there are `strides`
/// (negative and zero ones included), and calls `body` once for each innermost row. Nothing happens
/// if a dimension is 0; a scalar is one row of one element.
void each_row(Dims dims, std::vector<Dims> strides, RowBody body);

/// Copies the elements of a strided view, starting at `first`, to a dense tensor of shape `dims`.
/// `bytes` is the size of an element.
void copy_strided(std::span<const std::byte> from, std::int64_t first, const Dims& dims,
                  const Dims& strides, std::span<std::byte> to, std::int64_t bytes);

}  // namespace braid
