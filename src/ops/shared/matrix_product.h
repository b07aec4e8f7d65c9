#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace braid {

/// A matrix in memory; element (i,j) is at i * row_stride + j * column_stride.
template <class Sum>
struct Matrix {
  const Sum* data;
  std::int64_t row_stride;
  std::int64_t column_stride;
};

/// Multiplies [rows,depth] by [depth,columns] and hands each element of the result, in row-major
/// order, to `write`. Sums run over the depth in ascending order.
template <class Sum, class Write>
void multiply(Matrix<Sum> a, Matrix<Sum> b, std::int64_t rows, std::int64_t depth,
              std::int64_t columns, const Write& write) {
  // Rows of b are read whole; a transposed one is turned first.
  std::vector<Sum> turned;
  if (b.column_stride != 1) {
    turned.reserve(static_cast<std::size_t>(depth * columns));
    for (std::int64_t k = 0; k < depth; ++k)
      for (std::int64_t j = 0; j < columns; ++j)
        turned.push_back(b.data[k * b.row_stride + j * b.column_stride]);
    b = {turned.data(), columns, 1};
  }
  std::vector<Sum> sums(static_cast<std::size_t>(columns));
  for (std::int64_t i = 0; i < rows; ++i) {
    std::fill(sums.begin(), sums.end(), Sum(0));
    for (std::int64_t k = 0; k < depth; ++k) {
      const Sum factor = a.data[i * a.row_stride + k * a.column_stride];
      const Sum* row = b.data + k * b.row_stride;
      for (std::int64_t j = 0; j < columns; ++j)
        sums[static_cast<std::size_t>(j)] += factor * row[j];
    }
    for (const Sum sum : sums) write(sum);
  }
}

}  // namespace braid
