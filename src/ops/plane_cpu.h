#pragma once

#include <limits>
#include <vector>

#include "device/cpu/isa.h"
#include "ops/window.h"

namespace braid::cpu {

/// A window that slides over one channel, made into long straight loops. The channel is copied into
/// a padded plane, split by the stride's phases so that neighbouring outputs read neighbouring
/// inputs:
///
///     stride 2, kernel 3:   x0 x1 x2 x3 x4 …   →   phase 0: x0 x2 x4 …   taps 0 and 2
///                                                  phase 1: x1 x3 x5 …   tap 1
///
/// Tap t of output i (rows `pitch` apart, so outputs of all rows follow one another) is then
/// plane[i + offsets[t]].
class Plane {
 public:
  /// `window` has one or two axes.
  explicit Plane(const Window& window);

  std::int64_t taps() const { return static_cast<std::int64_t>(offsets_.size()); }
  std::int64_t plane_floats() const { return plane_floats_; }
  std::int64_t result_floats() const { return result_floats_; }
  std::int64_t outputs() const { return rows_ * columns_; }

  /// Copies a channel into `plane`, with `padding` around it.
  void fill(const float* channel, float padding, float* plane) const;
  /// The sum over the taps of weight times input, plus `bias`, into `results`.
  void weigh(const float* plane, const float* weights, float bias, float* results) const;
  /// The largest input; NaN wins.
  void largest(const float* plane, float* results) const;
  /// Calls finish(from, to, first, count) for each row of results.
  template <class Finish>
  void each_row(const float* results, float* to, const Finish& finish) const {
    for (std::int64_t row = 0; row < rows_; ++row)
      finish(results + row * pitch_, to + row * columns_, row * columns_, columns_);
  }

 private:
  struct Phase {
    std::int64_t row;
    std::int64_t column;
  };

  std::int64_t add_phase(Phase phase);
  void fill_row(const float* channel, std::int64_t row, std::int64_t column_phase, float padding,
                float* to) const;

  Window window_;
  std::int64_t rows_ = 0;     // of the output
  std::int64_t columns_ = 0;  // of the output
  std::int64_t pitch_ = 0;
  std::int64_t phase_rows_ = 0;
  std::int64_t plane_floats_ = 0;
  std::int64_t result_floats_ = 0;
  std::vector<Phase> phases_;
  std::vector<std::int64_t> offsets_;
};

}  // namespace braid::cpu
