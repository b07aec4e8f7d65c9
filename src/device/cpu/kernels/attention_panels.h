#pragma once

#include <cstdint>

namespace braid::cpu {

/// A matrix [depth, columns] as it lies in memory.
struct LooseMatrix {
  const float* from = nullptr;
  std::int64_t depth = 0;
  std::int64_t columns = 0;
  std::int64_t depth_step = 0;
  std::int64_t column_step = 0;
};

/// Columns of all panels: those of the matrix, filled up to whole vectors.
std::int64_t packed_columns(std::int64_t columns, std::int64_t lanes);

/// Writes the matrix as panels of `width` columns (panel_block.h), one behind the other: the panel
/// that begins with column c begins at `to` + c * depth. The last panel has the columns that are
/// left, filled up to whole vectors of `lanes` with zeros. A matrix whose depth or whose columns
/// follow one another in memory is packed fast.
void pack_panels(const LooseMatrix& matrix, std::int64_t width, std::int64_t lanes, float* to);

}  // namespace braid::cpu
