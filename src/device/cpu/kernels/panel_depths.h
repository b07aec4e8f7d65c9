#pragma once

#include <vector>

#include "device/cpu/kernels/panel_product_call.h"
#include "plan/plan.h"

namespace braid::cpu {

/// Taps of fewer channels are too short to be pieces of rows.
inline constexpr std::int64_t kLeastChannelsOfTaps = 16;
/// Of a depth.
inline constexpr std::int64_t kMostTaps = 48;

/// A row of a product is added up in depths of at most this many elements, so that the part of a
/// panel of that many columns that belongs to one stays in a core's second-level cache beside rows
/// and results.
std::int64_t deepest(std::int64_t panel_width);

/// Some taps, or some channels of one.
struct Depth {
  std::int64_t tap = 0;
  std::int64_t taps = 1;
  std::int64_t channel = 0;
  std::int64_t channels = 0;
  std::int64_t before = 0;  ///< elements of all depths before it
  std::size_t index = 0;
  bool last = false;

  std::int64_t elements() const { return taps * channels; }
};

/// Of rows that consist of so many taps with so many elements each, under panels of that width.
std::vector<Depth> depths_of(std::int64_t taps, std::int64_t channels, std::int64_t panel_width);

/// Rows that read the same taps, and what they read of each depth.
class RowGroup {
 public:
  struct Turn {
    CutRange taps;  ///< indices of those of the depth
    bool first = false;
    bool last = false;
  };

  /// All rows of an image, one behind the other.
  explicit RowGroup(std::size_t depths);
  RowGroup(PanelRows of, const std::vector<Depth>& depths);

  const Turn& turn(const Depth& depth) const { return turns_[depth.index]; }
  std::int64_t tap(std::int64_t i) const { return of_.taps[static_cast<std::size_t>(i)]; }

  bool is_whole_image() const { return of_.rows.empty(); }
  std::int64_t row(std::int64_t i) const {
    return is_whole_image() ? i : of_.rows[static_cast<std::size_t>(i)];
  }
  /// The indices of those rows that lie in a range.
  CutRange within(CutRange range) const;
  /// The beginnings of the pieces of the tap with that index, one for each row.
  const std::int32_t* pieces(std::int64_t tap) const {
    return of_.pieces.data() + tap * std::ssize(of_.rows);
  }

 private:
  PanelRows of_;
  std::vector<Turn> turns_;  // one for each depth
};

std::vector<RowGroup> groups_of(std::vector<PanelRows> rows, const std::vector<Depth>& depths);

}  // namespace braid::cpu
