#pragma once

#include <optional>

#include "device/cpu/kernels/kernel.h"
#include "plan/plan.h"

namespace braid::cpu {

/// How the indices along an axis of a Resize's output are made: each is a weighted sum of equally
/// many taps, none of which weighs zero.
struct AxisTaps {
  std::int64_t taps = 1;
  std::int64_t outputs = 1;
  std::vector<std::int32_t> positions;  ///< taps x outputs; within the input
  std::vector<float> weights;           ///< taps x outputs

  /// Whether every output is one input as it is.
  bool picks() const;
};

/// A row of the input and how much it counts in a row of the output.
struct SourceRow {
  std::int64_t row = 0;
  float weight = 1;
};

/// The rows that a part of a Resize writes: in each of `blocks` blocks that begin `step` rows apart
/// the rows [begin, end), and of those the columns.
struct ResizedRows {
  std::int64_t blocks = 1;
  std::int64_t step = 0;
  CutRange rows;
  CutRange columns;

  template <class Body>
  void each(const Body& body) const {
    for (std::int64_t block = 0; block < blocks; ++block)
      for (std::int64_t row = rows.begin; row < rows.end; ++row) body(block * step + row);
  }
};

/// A Resize of a value in some order of axes: rows of columns, each of `inner` elements that follow
/// one another. Columns go along the last axis in memory that is resized; a row is made of whole
/// rows of the input.
///
///     rows of the input ── weighted sums ──> one row, as wide as the input's ── weighted sums of
///     its columns ──> a row of the output
///
/// or, with columns_first(), the other way round.
class ResizeRows {
 public:
  /// Nothing if an output takes an extrapolation value or has no taps, or if an axis is so long
  /// that tables would take more memory than the values.
  static std::optional<ResizeRows> of(const OpCall& call, const AxisOrder& order);

  const AxisTaps& columns() const { return columns_; }
  std::int64_t inner() const { return inner_; }
  std::int64_t input_columns() const { return input_columns_; }
  bool picks_rows() const;
  /// Whether columns are better summed first: those of one element, summed one by one, where many
  /// rows of the output are made of the same few of the input.
  bool columns_first() const;
  /// How many rows of the input a row of the output is made of.
  std::int64_t source_count() const;
  bool takes_pitch() const { return takes_pitch_; }
  /// The cuts along the outermost axes that are not columns, or along the columns if there are
  /// none.
  std::vector<Cut> cuts() const;
  ResizedRows part(const Part& part) const;
  /// The rows of the input that a row of the output is made of.
  void find_sources(std::int64_t row, std::vector<SourceRow>& sources) const;

 private:
  struct Axis {
    std::size_t axis = 0;
    AxisTaps taps;
    std::int64_t inputs = 1;
    std::int64_t input_step = 1;  ///< rows from index to index
    std::int64_t output_step = 1;
  };

  TensorType output_;
  std::vector<Axis> outer_;  // from the slowest in memory to the fastest
  std::size_t column_axis_ = 0;
  AxisTaps columns_;
  std::int64_t input_columns_ = 1;
  std::int64_t inner_ = 1;
  bool takes_pitch_ = false;
};

}  // namespace braid::cpu
