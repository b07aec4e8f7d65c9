#pragma once

#include <algorithm>
#include <mutex>
#include <vector>

#include "base/checked.h"
#include "device/cpu/kernels/panel_depths.h"
#include "device/cpu/machine/large_pages.h"
#include "tensor/passing_tensors.h"

namespace braid::cpu {

/// A constant matrix as blocks read it: depth after depth, panel after panel, and in each the
/// columns of one element of the depth after the other. The last panel may be narrower; its columns
/// are filled up with zeros to whole vectors.
class PackedPanels {
 public:
  struct Shape {
    std::int64_t taps = 0;
    std::int64_t channels = 0;  ///< of a tap
    std::int64_t columns = 0;
    std::int64_t width = 0;  ///< columns of a panel
    std::int64_t lanes = 0;  ///< of a vector
  };

  explicit PackedPanels(const Shape& shape)
      : depths_(depths_of(shape.taps, shape.channels, shape.width)),
        columns_(shape.columns),
        width_(shape.width),
        packed_columns_(ceil_div(shape.columns, shape.lanes) * shape.lanes) {}

  const std::vector<Depth>& depths() const { return depths_; }
  std::int64_t width() const { return width_; }
  std::int64_t bytes() const {
    const std::int64_t elements = depths_.back().before + depths_.back().elements();
    return checked_mul(checked_mul(packed_columns_, elements), std::int64_t{sizeof(float)});
  }

  /// Packs element(bytes of the matrix, tap, channel, column) and lets go of the matrix, at the
  /// first call; threads may call it at once.
  template <class Element>
  void make(Tensor& matrix, const Element& element) {
    const std::scoped_lock lock(making_);
    if (packed_.bytes != nullptr) return;
    const PassingTensors passing;
    packed_ = room_for_constant(bytes());
    auto* to = reinterpret_cast<float*>(packed_.bytes);
    const std::byte* const from = matrix.bytes().data();
    for (const Depth& depth : depths_)
      for (std::int64_t panel = 0; panel < packed_columns_; panel += width_)
        for (std::int64_t tap = depth.tap; tap < depth.tap + depth.taps; ++tap)
          for (std::int64_t c = depth.channel; c < depth.channel + depth.channels; ++c)
            for (std::int64_t n = panel; n < std::min(panel + width_, packed_columns_); ++n)
              *to++ = n < columns_ ? element(from, tap, c, n) : 0;
    matrix = {};
  }

  /// What a depth has of the panel that begins at a column.
  const float* at(const Depth& depth, std::int64_t column) const {
    return reinterpret_cast<const float*>(packed_.bytes) + depth.before * packed_columns_ +
           column * depth.elements();
  }

 private:
  std::vector<Depth> depths_;
  std::int64_t columns_;
  std::int64_t width_;
  std::int64_t packed_columns_;
  std::mutex making_;
  HeldBytes packed_;
};

}  // namespace braid::cpu
