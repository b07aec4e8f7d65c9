#include "device/cpu/kernels/panel_depths.h"

#include <algorithm>

#include "base/checked.h"
#include "device/cpu/kernels/panel_block.h"
#include "device/cpu/machine/machine.h"

namespace braid::cpu {
namespace {

/// A panel takes this part of the second-level cache.
constexpr std::int64_t kShareOfPanel = 4;
/// Shorter depths would read and write sums too often.
constexpr std::int64_t kLeastDeep = 256;

}  // namespace

std::int64_t deepest(std::int64_t panel_width) {
  const std::int64_t elements =
      machine().second_level_bytes / kShareOfPanel / (panel_width * std::int64_t{sizeof(float)});
  return std::clamp(elements, kLeastDeep, kMostTaps * kLeastChannelsOfTaps);
}

std::vector<Depth> depths_of(std::int64_t taps, std::int64_t channels, std::int64_t panel_width) {
  std::vector<Depth> depths;
  std::int64_t before = 0;
  const auto add = [&](Depth depth) {
    depth.before = before;
    depth.index = depths.size();
    before += depth.elements();
    depths.push_back(depth);
  };
  const std::int64_t most = deepest(panel_width);
  const std::int64_t together = std::clamp<std::int64_t>(most / channels, 1, kMostTaps);
  const std::int64_t pieces = ceil_div(channels, most);
  // Whole steps of a block.
  const std::int64_t deep = ceil_div(channels, pieces * kFetchStep) * kFetchStep;
  for (std::int64_t tap = 0; tap < taps; tap += together)
    for (std::int64_t channel = 0; channel < channels; channel += deep)
      add({tap, std::min(together, taps - tap), channel, std::min(deep, channels - channel)});
  depths.back().last = true;
  return depths;
}

RowGroup::RowGroup(std::size_t depths) : turns_(depths, Turn{.taps = {0, 1}}) {
  of_.taps = {0};
  turns_.front().first = true;
  turns_.back().last = true;
}

RowGroup::RowGroup(PanelRows of, const std::vector<Depth>& depths) : of_(std::move(of)) {
  const auto index = [&](std::int64_t tap) {
    return std::ranges::lower_bound(of_.taps, tap) - of_.taps.begin();
  };
  for (const Depth& depth : depths)
    turns_.push_back({.taps = {index(depth.tap), index(depth.tap + depth.taps)}});
  const auto reads = [](const Turn& turn) { return turn.taps.begin < turn.taps.end; };
  std::ranges::find_if(turns_, reads)->first = true;
  std::find_if(turns_.rbegin(), turns_.rend(), reads)->last = true;
}

CutRange RowGroup::within(CutRange range) const {
  if (is_whole_image()) return range;
  const auto index = [&](std::int64_t row) {
    return std::ranges::lower_bound(of_.rows, row) - of_.rows.begin();
  };
  return {index(range.begin), index(range.end)};
}

std::vector<RowGroup> groups_of(std::vector<PanelRows> rows, const std::vector<Depth>& depths) {
  std::vector<RowGroup> groups;
  for (PanelRows& group : rows) groups.emplace_back(std::move(group), depths);
  if (groups.empty()) groups.emplace_back(depths.size());
  return groups;
}

}  // namespace braid::cpu
