#pragma once

#include <optional>

#include "device/cpu/kernel.h"
#include "ops/epilogue.h"

namespace braid::cpu {

/// An axis of a node's output along which rows of its product may be cut.
struct RowAxis {
  int axis = 0;
  std::int64_t rows = 1;  ///< that belong to one element of it
};

/// output = activation(a x matrix + bias + residual) with a constant matrix. The rows of `a` and of
/// the output are dense, those of the output follow one another, and the residual lies like it.
struct PanelProductCall {
  std::int64_t rows = 0;
  std::int64_t depth = 0;
  std::int64_t columns = 0;
  std::int64_t a_stride = 0;  ///< from row to row
  Tensor matrix;              ///< float32; element (k, n) is at k * k_stride + n * n_stride
  std::int64_t k_stride = 0;
  std::int64_t n_stride = 0;
  Epilogue epilogue;  ///< a bias has a number for each column
  std::size_t residual_input = Epilogue::kResidualInput;
  int column_axis = 0;  ///< of the node's output
  std::optional<RowAxis> row_axis;
};

/// Every element of the output is one sum, in the order of the depth, whichever part it belongs to:
/// so parts of rows and parts of columns give the whole's bits. Nothing if another way is better.
std::optional<Prepared> prepare_panel_product(const OpCall& call, const PanelProductCall& product);

}  // namespace braid::cpu
