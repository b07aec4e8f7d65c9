#pragma once

#include <mutex>
#include <vector>

#include <braid/tensor.h>

#include "device/cpu/kernels/winograd_transforms.h"
#include "device/cpu/machine/large_pages.h"
#include "plan/plan.h"

namespace braid::cpu {

/// Constant weights [columns][channels][3][3], transformed by G g G' in double precision and packed
/// as a PanelBlock reads them: band after band, in each matrix after matrix, panel after panel, and
/// in a panel the columns of one channel after the other. The last panel is filled up with columns
/// of zeros to whole vectors.
///
/// The weights themselves are not kept: what was rounded still tells them, up to rounding,
///
///     g0 = t0 / G00,   g1 = (t1 - t2) / 2 G11,   g2 = t_last     with t = G g, along both axes,
///
/// and those few that do not come back so, or with another sign, are kept aside.
class WinogradFilters {
 public:
  struct Shape {
    std::int64_t first_column = 0;  ///< of the weights; columns count from it
    std::int64_t columns = 0;
    std::int64_t channels = 0;
    std::int64_t lanes = 0;
    std::int64_t panel_width = 0;
    std::int64_t band_width = 0;  ///< whole panels
  };

  WinogradFilters(Tensor weights, const WinogradTransforms& transforms, const Shape& shape);

  std::int64_t bytes() const;
  /// Makes them at the first call.
  void make();

  /// One matrix of the panel that begins with a column.
  const float* at(std::int64_t column, std::int64_t matrix) const;
  /// Columns of that panel, and of the band that begins with a column: whole vectors.
  std::int64_t width_of_panel(std::int64_t column) const;
  std::int64_t width_of_band(std::int64_t column) const;

  /// The weights of some channels of a column, [channels][3][3], each within rounding of the
  /// largest of its nine, and zero, positive or negative as it was.
  void restore(std::int64_t column, CutRange channels, float* to) const;

 private:
  std::int64_t place_of(std::int64_t column, std::int64_t matrix) const;
  void pack_panel(std::int64_t begin);
  void read(std::int64_t column, std::int64_t channel, float* to) const;
  void transform(const float* g, double* to) const;
  void invert(const float* filter, std::int64_t matrix_floats, float* to) const;
  void note_lost(std::int64_t column, std::int64_t channel, const float* weights,
                 const float* filter, std::int64_t matrix_floats);

  /// A weight that does not come back, by its place among all.
  struct Aside {
    std::int64_t place;
    float weight;
  };

  Tensor weights_;  // stays if too many are aside
  std::vector<Aside> aside_;
  WinogradTransforms transforms_;
  Shape shape_;
  std::mutex making_;
  HeldBytes packed_;
};

}  // namespace braid::cpu
