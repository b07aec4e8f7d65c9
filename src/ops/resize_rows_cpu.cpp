#include "ops/resize_rows_cpu.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/resize.h"

namespace braid::cpu {
namespace {

/// Tables of longer axes would take more memory than the values.
constexpr std::int64_t kLongestAxis = std::int64_t{1} << 22;

/// Never zero, by which an infinity would become NaN.
float nonzero(double weight) {
  constexpr double least = std::numeric_limits<float>::min();
  return static_cast<float>(std::fabs(weight) < least ? std::copysign(least, weight) : weight);
}

struct Tap {
  std::int64_t position = 0;
  double weight = 1;
};

/// The taps of each output that do not weigh zero.
std::vector<std::vector<Tap>> weighing_taps(const ResizeAxis& map, std::int64_t outputs) {
  std::vector<std::vector<Tap>> taps(static_cast<std::size_t>(outputs));
  std::size_t next = 0;
  for (auto& own : taps)
    for (std::int64_t k = 0; k < map.taps; ++k, ++next)
      if (map.weights[next] != 0) own.push_back({map.positions[next], map.weights[next]});
  return taps;
}

/// A sum of fewer taps than others have counts halves of one of them instead.
void split_taps(std::vector<Tap>& taps, std::size_t count) {
  while (taps.size() < count) {
    taps.back().weight /= 2;
    taps.push_back(taps.back());
  }
}

AxisTaps table_of(const std::vector<std::vector<Tap>>& taps) {
  AxisTaps table;
  table.taps = std::ssize(taps.front());
  table.outputs = std::ssize(taps);
  for (std::size_t k = 0; k < taps.front().size(); ++k)
    for (const std::vector<Tap>& own : taps) {
      table.positions.push_back(static_cast<std::int32_t>(own[k].position));
      table.weights.push_back(nonzero(own[k].weight));
    }
  return table;
}

std::vector<std::vector<Tap>> one_tap_each(std::int64_t extent) {
  std::vector<std::vector<Tap>> taps;
  for (std::int64_t i = 0; i < extent; ++i) taps.push_back({{.position = i}});
  return taps;
}

/// Nothing if an output takes an extrapolation value or has no taps, or if the axis is very long.
std::optional<AxisTaps> taps_along(const OpCall& call, const ResizeGeometry& resize,
                                   std::size_t axis) {
  if (std::max(resize.input[axis], resize.output[axis]) > kLongestAxis) return std::nullopt;
  if (!resize.resized[axis]) return table_of(one_tap_each(resize.output[axis]));
  const ResizeAxis map = resize_axis(call, resize, axis);
  if (std::ranges::count(map.outside, true) > 0) return std::nullopt;
  std::vector<std::vector<Tap>> taps = weighing_taps(map, resize.output[axis]);
  std::size_t most = 1;
  for (const std::vector<Tap>& own : taps) {
    if (own.empty()) return std::nullopt;
    most = std::max(most, own.size());
  }
  for (std::vector<Tap>& own : taps) split_taps(own, most);
  return table_of(taps);
}

bool keeps_axis(const AxisTaps& table, std::int64_t input) {
  if (!table.picks() || table.outputs != input) return false;
  for (std::size_t i = 0; i < table.positions.size(); ++i)
    if (table.positions[i] != static_cast<std::int64_t>(i)) return false;
  return true;
}

}  // namespace

bool AxisTaps::picks() const {
  return taps == 1 && std::ranges::all_of(weights, [](float weight) { return weight == 1; });
}

std::optional<ResizeRows> ResizeRows::of(const OpCall& call, const AxisOrder& order) {
  const ResizeGeometry resize = resize_geometry(call);
  const AxisOrder axes = whole_order(order, resize.input.size());
  std::vector<AxisTaps> tables;
  std::size_t place = 0;  // of the columns
  for (const std::size_t axis : axes) {
    std::optional<AxisTaps> table = taps_along(call, resize, axis);
    if (!table) return std::nullopt;
    if (!keeps_axis(*table, resize.input[axis])) place = tables.size();
    tables.push_back(std::move(*table));
  }
  ResizeRows rows;
  rows.output_ = call.outputs[0];
  rows.column_axis_ = axes[place];
  rows.columns_ = std::move(tables[place]);
  rows.input_columns_ = resize.input[axes[place]];
  for (std::size_t i = place + 1; i < axes.size(); ++i) rows.inner_ *= resize.input[axes[i]];
  rows.takes_pitch_ =
      place + 1 == axes.size() || (rows.inner_ > 1 && rows.inner_ == resize.input[axes.back()]);
  std::int64_t input_step = 1;
  std::int64_t output_step = 1;
  for (std::size_t i = place; i-- > 0;) {
    rows.outer_.insert(rows.outer_.begin(), {axes[i], std::move(tables[i]), resize.input[axes[i]],
                                             input_step, output_step});
    input_step *= resize.input[axes[i]];
    output_step *= resize.output[axes[i]];
  }
  return rows;
}

bool ResizeRows::picks_rows() const {
  return std::ranges::all_of(outer_, [](const Axis& axis) { return axis.taps.picks(); });
}

bool ResizeRows::columns_first() const {
  std::int64_t inputs = 1;
  std::int64_t outputs = 1;
  for (const Axis& axis : outer_) {
    inputs *= axis.inputs;
    outputs *= axis.taps.outputs;
  }
  return inner_ == 1 && outputs > inputs && !picks_rows() && !columns_.picks();
}

std::int64_t ResizeRows::source_count() const {
  std::int64_t count = 1;
  for (const Axis& axis : outer_) count *= axis.taps.taps;
  return count;
}

std::vector<Cut> ResizeRows::cuts() const {
  constexpr std::size_t most_cuts = 2;
  std::vector<Cut> cuts;
  for (const Axis& axis : outer_)
    if (axis.taps.outputs > 1 && cuts.size() < most_cuts)
      cuts.push_back({.axis = static_cast<int>(axis.axis)});
  if (cuts.empty() && columns_.outputs > 1)
    cuts.push_back({.axis = static_cast<int>(column_axis_)});
  return cuts;
}

ResizedRows ResizeRows::part(const Part& part) const {
  const Axis* slowest = outer_.empty() ? nullptr : &outer_.front();
  const std::int64_t all = slowest != nullptr ? slowest->output_step * slowest->taps.outputs : 1;
  ResizedRows own{.rows = {0, all}, .columns = {0, columns_.outputs}};
  if (part.count == 1) return own;
  const CutRange range = cut_range(output_, part.cut, part.index, part.count);
  own.columns = range;
  for (const Axis& axis : outer_)
    if (static_cast<int>(axis.axis) == part.cut.axis) {
      own.step = axis.output_step * axis.taps.outputs;
      own.blocks = all / own.step;
      own.rows = {range.begin * axis.output_step, range.end * axis.output_step};
      own.columns = {0, columns_.outputs};
    }
  return own;
}

void ResizeRows::find_sources(std::int64_t row, std::vector<SourceRow>& sources) const {
  sources.assign(1, {});
  for (const Axis& axis : outer_) {
    const AxisTaps& taps = axis.taps;
    const std::int64_t output = row / axis.output_step % taps.outputs;
    const std::size_t before = sources.size();
    for (std::int64_t k = 1; k < taps.taps; ++k)
      for (std::size_t i = 0; i < before; ++i) sources.push_back(SourceRow(sources[i]));
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const std::int64_t k = static_cast<std::int64_t>(i / before);
      const auto at = static_cast<std::size_t>(k * taps.outputs + output);
      sources[i].row += taps.positions[at] * axis.input_step;
      sources[i].weight =
          nonzero(static_cast<double>(sources[i].weight) * static_cast<double>(taps.weights[at]));
    }
  }
}

}  // namespace braid::cpu
