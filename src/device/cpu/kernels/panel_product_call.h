#pragma once

#include <optional>
#include <vector>

#include <braid/tensor.h>

#include "ops/shared/epilogue.h"

namespace braid::cpu {

/// An axis of a node's output along which rows of its product may be cut.
struct RowAxis {
  int axis = 0;
  std::int64_t rows = 1;  ///< that belong to one element of it
};

/// Rows of an image that read the same taps; the others are padding to them.
struct PanelRows {
  std::vector<std::int32_t> rows;  ///< ascending
  std::vector<std::int32_t> taps;  ///< ascending, at least one
  /// Where in an image each tap's piece begins for each row, tap after tap.
  std::vector<std::int32_t> pieces;
};

/// output = activation(a x matrix + bias + residual) with a constant matrix: a product, or a
/// convolution of channels-last values, whose rows are its output pixels. A row of `a` consists of
/// `taps` pieces of `channels` elements, which are read where they lie in the image: no matrix of
/// windows is made (the indirect convolution of Dukhan, docs/papers.md).
///
///     3x3, one pixel:   . a b c .     its row:   [a|b|c|d|e|f|g|h|i]    nine taps,
///                       . d e f .                 each `channels` elements of the image
///                       . g h i .
///
/// The rows of the residual follow one another, those of the output as KernelArgs::pitch says.
struct PanelProductCall {
  std::int64_t images = 1;
  std::int64_t rows = 0;  ///< of an image
  std::int64_t columns = 0;
  std::int64_t taps = 1;
  std::int64_t channels = 0;
  std::int64_t image_stride = 0;  ///< from image to image of `a`
  std::int64_t row_stride = 0;    ///< from row to row of `a`, if there are no `groups`
  /// Every row is in one of them. Empty: there is one tap, and one row is behind the other.
  std::vector<PanelRows> groups;
  Tensor matrix;  ///< float32
  std::int64_t tap_stride = 0;
  std::int64_t channel_stride = 0;
  std::int64_t column_stride = 0;
  Epilogue epilogue;  ///< a bias has a number for each column
  std::size_t residual_input = Epilogue::kResidualInput;
  int column_axis = 0;  ///< of the node's output
  std::optional<RowAxis> row_axis;
};

}  // namespace braid::cpu
