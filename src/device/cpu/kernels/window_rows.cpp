#include "device/cpu/kernels/window_rows.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "base/checked.h"

namespace braid::cpu {
namespace {

constexpr std::int64_t kMostPieces = 1 << 20;
constexpr std::size_t kAxes = 3;

/// First and last tap of each axis.
using TapBox = std::array<std::int64_t, 2 * kAxes>;

/// Rows that read the same taps, and which pixel the first tap of the kernel would be for each.
struct Group {
  PanelRows of;
  std::vector<std::int64_t> origins;
};

/// The pixel at these places along the axes of an input, which may be outside of it.
std::int64_t pixel_at(const Window& window, std::int64_t plane, std::int64_t line,
                      std::int64_t column) {
  return (plane * window.input[1] + line) * window.input[2] + column;
}

/// Lists the taps, and for each where its pieces begin.
void add_taps(const Window& window, std::int64_t channels, const TapBox& box, Group& group) {
  const Dims& dilations = window.dilations;
  for (std::int64_t a = box[0]; a < box[1]; ++a)
    for (std::int64_t b = box[2]; b < box[3]; ++b)
      for (std::int64_t c = box[4]; c < box[5]; ++c) {
        group.of.taps.push_back(
            static_cast<std::int32_t>((a * window.kernel[1] + b) * window.kernel[2] + c));
        const std::int64_t shift =
            pixel_at(window, a * dilations[0], b * dilations[1], c * dilations[2]);
        for (const std::int64_t origin : group.origins)
          group.of.pieces.push_back(static_cast<std::int32_t>((origin + shift) * channels));
      }
}

}  // namespace

CutRange taps_at(const Window& window, std::size_t axis, std::int64_t output) {
  const std::int64_t first = output * window.strides[axis] - window.pads_begin[axis];
  const std::int64_t dilation = window.dilations[axis];
  const std::int64_t begin = first >= 0 ? 0 : ceil_div(-first, dilation);
  const std::int64_t room = window.input[axis] - first;
  const std::int64_t end = room <= 0 ? 0 : std::min(ceil_div(room, dilation), window.kernel[axis]);
  return {begin, std::max(begin, end)};
}

std::vector<PanelRows> rows_by_taps(const Window& spatial, std::int64_t channels) {
  const Window window = with_three_axes(spatial);
  std::array<std::vector<CutRange>, kAxes> taps;  // by the output along each axis
  std::array<std::vector<std::int64_t>, kAxes> origins;
  for (std::size_t axis = 0; axis < kAxes; ++axis)
    for (std::int64_t output = 0; output < window.output[axis]; ++output) {
      taps[axis].push_back(taps_at(window, axis, output));
      if (taps[axis].back().begin == taps[axis].back().end) return {};
      origins[axis].push_back(output * window.strides[axis] - window.pads_begin[axis]);
    }
  std::map<TapBox, Group> groups;
  std::int32_t row = 0;
  for (std::size_t i = 0; i < taps[0].size(); ++i)
    for (std::size_t j = 0; j < taps[1].size(); ++j)
      for (std::size_t k = 0; k < taps[2].size(); ++k) {
        Group& group = groups[{taps[0][i].begin, taps[0][i].end, taps[1][j].begin, taps[1][j].end,
                               taps[2][k].begin, taps[2][k].end}];
        group.of.rows.push_back(row++);
        group.origins.push_back(pixel_at(window, origins[0][i], origins[1][j], origins[2][k]));
      }
  std::vector<PanelRows> result;
  for (auto& [box, group] : groups) {
    add_taps(window, channels, box, group);
    result.push_back(std::move(group.of));
  }
  return result;
}

bool can_list_rows(const Window& window, std::int64_t channels) {
  return element_count(window.input) * channels <= std::numeric_limits<std::int32_t>::max() &&
         checked_mul(element_count(window.output), element_count(window.kernel)) <= kMostPieces;
}

}  // namespace braid::cpu
