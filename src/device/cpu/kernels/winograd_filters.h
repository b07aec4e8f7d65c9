#pragma once

#include <mutex>

#include <braid/tensor.h>

#include "device/cpu/kernels/winograd_transforms.h"
#include "device/cpu/machine/large_pages.h"

namespace braid::cpu {

/// Constant weights [columns][channels][3][3], transformed by G g G' in double precision and packed
/// as a PanelBlock reads them: band after band, in each matrix after matrix, panel after panel, and
/// in a panel the columns of one channel after the other. The last panel is filled up with columns
/// of zeros to whole vectors.
class WinogradFilters {
 public:
  struct Shape {
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

 private:
  std::int64_t place_of(std::int64_t column, std::int64_t matrix) const;
  void pack_panel(std::int64_t begin);
  void transform(std::int64_t column, std::int64_t channel, double* to) const;

  Tensor weights_;
  WinogradTransforms transforms_;
  Shape shape_;
  std::mutex making_;
  HeldBytes packed_;
};

}  // namespace braid::cpu
