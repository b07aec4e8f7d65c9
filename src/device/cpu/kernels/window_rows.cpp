#include "device/cpu/kernels/window_rows.h"

#include <array>
#include <limits>
#include <map>

#include "base/checked.h"

namespace braid::cpu {
namespace {

constexpr std::int64_t kMostPieces = 1 << 20;

/// The input along an axis that a tap reads; below zero: padding.
std::int64_t input_at(const Window& window, std::size_t axis, std::int64_t output,
                      std::int64_t tap) {
  const std::int64_t at =
      output * window.strides[axis] - window.pads_begin[axis] + tap * window.dilations[axis];
  return at < window.input[axis] ? at : -1;
}

/// An index along each axis.
using Place = std::array<std::int64_t, 3>;

/// The place with that index if the last axis runs fastest.
Place place_at(const Dims& dims, std::int64_t index) {
  return {index / dims[2] / dims[1], index / dims[2] % dims[1], index % dims[2]};
}

/// Where a tap's pixel begins in a channels-last image; below zero: it is padding.
std::int32_t piece_at(const Window& window, std::int64_t channels, const Place& output,
                      const Place& tap) {
  std::int64_t pixel = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t at = input_at(window, axis, output[axis], tap[axis]);
    if (at < 0) return -1;
    pixel = pixel * window.input[axis] + at;
  }
  return static_cast<std::int32_t>(pixel * channels);
}

}  // namespace

std::vector<PanelRows> rows_by_taps(const Window& spatial, std::int64_t channels) {
  const Window window = with_three_axes(spatial);
  std::map<std::vector<std::int32_t>, PanelRows> groups;
  std::vector<std::int32_t> taps;
  for (std::int32_t row = 0; row < element_count(window.output); ++row) {
    const Place output = place_at(window.output, row);
    taps.clear();
    for (std::int32_t tap = 0; tap < element_count(window.kernel); ++tap)
      if (piece_at(window, channels, output, place_at(window.kernel, tap)) >= 0)
        taps.push_back(tap);
    if (taps.empty()) return {};
    groups[taps].rows.push_back(row);
  }
  std::vector<PanelRows> result;
  for (auto& [read, group] : groups) {
    group.taps = read;
    for (const std::int32_t tap : read)
      for (const std::int32_t row : group.rows)
        group.pieces.push_back(
            piece_at(window, channels, place_at(window.output, row), place_at(window.kernel, tap)));
    result.push_back(std::move(group));
  }
  return result;
}

bool can_list_rows(const Window& window, std::int64_t channels) {
  return element_count(window.input) * channels <= std::numeric_limits<std::int32_t>::max() &&
         checked_mul(element_count(window.output), element_count(window.kernel)) <= kMostPieces;
}

}  // namespace braid::cpu
