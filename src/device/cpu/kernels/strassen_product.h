#pragma once

#include <vector>

#include "device/cpu/kernels/panel_product.h"

namespace braid::cpu {

/// A product of dense rows and a constant matrix with seven products of halves instead of eight:
/// Strassen's algorithm in Winograd's form (docs/papers.md), once. Rows are taken together in units
/// of an upper and a lower half, columns in pairs of panels, and each depth in two halves:
///
///     [a11 a12]   [b11 b12]     x  = a11 b11                           c11 = x + a12 b21
///     [a21 a22] x [b21 b22]     u2 = x + s2 t2,   t2 = b22 - b12 + b11
///                               y  = u2 + a22 t4, t4 = b21 - t2
///     s: StrassenRows           u4 = u2 + s1 t1,  t1 = b12 - b11       c12 = u4 + s4 b22
///                                                 t3 = b22 - b12       c21 = y + s3 t3
///                                                                      c22 = u4 + s3 t3
///
/// The sums of panels are made while the first rows meet them; no more is packed than for panels.
/// Rounding errors are larger than those of plain sums, and relative to the larger of two rows: a
/// unit in which rows are of very different size is multiplied plainly, and so is a pair of panels
/// if a sum is no finite number, since sums of rows spread an infinity over both. So units and
/// pairs decide the bits of a result, and parts are made of whole ones: of grains of units.
class StrassenProduct {
 public:
  /// Whether there is anything to save.
  static bool suits(const PanelProductCall& call);

  /// Of a call that suits.
  explicit StrassenProduct(PanelProductCall call);

  std::int64_t pair_columns() const { return 2 * width_; }
  std::int64_t grain_rows() const { return grain_; }
  std::int64_t scratch_bytes() const;

  /// Packs the matrix at the first call; threads may call it at once.
  void make() { plain_.make(); }
  /// Rows that begin at a grain, columns that begin at a pair.
  void run(const KernelArgs& args, CutRange rows, CutRange columns) const;

 private:
  /// The rows of a unit; those up to `end_of_next` come next.
  void run_unit(const KernelArgs& args, CutRange rows, CutRange columns,
                std::int64_t end_of_next) const;

  std::int64_t width_;  // columns of a panel
  std::int64_t grain_;  // rows that parts are made of
  std::int64_t unit_;   // rows
  PanelProduct plain_;
  std::vector<float> zeros_;  // a lower row where there is none
};

}  // namespace braid::cpu
