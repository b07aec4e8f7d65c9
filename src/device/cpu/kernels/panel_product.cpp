#include "device/cpu/kernels/panel_product.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/checked.h"
#include "device/cpu/machine/machine.h"

namespace braid::cpu {
namespace {

constexpr std::int64_t kFloatBytes = sizeof(float);
/// Rows that go through all panels together take at most this part of a core's second-level cache,
/// so that they stay there beside one panel.
constexpr std::int64_t kShareOfRows = 2;
/// Panels that in sum take a smaller part than this stay in that cache themselves. Then rows and
/// results have to stream past them, and fewer rows at a time are enough to hide the first reading
/// of the panels.
constexpr std::int64_t kShareOfPanels = 2;
constexpr std::int64_t kShareOfFewRows = 8;
constexpr std::int64_t kFewRows = 48;
constexpr std::int64_t kWidest = kWidestPanel;

/// Blocks do Relu themselves.
ActivationStep step_after_sums(const Epilogue& epilogue) {
  return epilogue.is_relu() ? ActivationStep{} : activation_step(epilogue);
}

constexpr std::int64_t kApart = 0;

}  // namespace

PanelProduct::PanelProduct(PanelProductCall call, std::int64_t panel_width)
    : call_(std::move(call)),
      shape_(panel_shape(isa_)),
      panels_({call_.taps, call_.channels, call_.columns, panel_width, shape_.lanes}),
      groups_(groups_of(std::move(call_.groups), panels_.depths())),
      activation_(step_after_sums(call_.epilogue)) {}

void PanelProduct::make() {
  panels_.make(call_.matrix,
               [&](const std::byte* matrix, std::int64_t tap, std::int64_t channel,
                   std::int64_t column) { return element(matrix, tap, channel, column); });
}

void PanelProduct::run(const KernelArgs& args, CutRange rows, CutRange columns) const {
  for (std::int64_t image = rows.begin / call_.rows; image * call_.rows < rows.end; ++image) {
    const std::int64_t first = image * call_.rows;
    const CutRange own{std::max(rows.begin - first, std::int64_t{0}),
                       std::min(rows.end - first, call_.rows)};
    for (const Depth& depth : panels_.depths()) run_depth({args, image, depth, columns}, own);
  }
}

float PanelProduct::element(const std::byte* matrix, std::int64_t tap, std::int64_t channel,
                            std::int64_t column) const {
  float value = 0;
  const std::int64_t at =
      tap * call_.tap_stride + channel * call_.channel_stride + column * call_.column_stride;
  // The bytes may be unaligned.
  std::memcpy(&value, matrix + at * kFloatBytes, sizeof value);
  return value;
}

PanelProduct::Fetching PanelProduct::what_to_fetch(const Place& place, CutRange panel,
                                                   std::int64_t blocks, bool first_rows) const {
  const bool rows_in_line = groups_.front().is_whole_image() && call_.row_stride == call_.channels;
  const bool one_panel = panel.begin == place.columns.begin && panel.end == place.columns.end;
  const bool known_panels = !first_rows && panel.begin == place.columns.begin;
  if (rows_in_line && panels_.depths().size() == 1 && (one_panel || known_panels)) return {};
  const Depth* depth = &place.depth;
  std::int64_t column = panel.end;
  if (panel.end == place.columns.end) {
    column = place.columns.begin;
    if (!depth->last) ++depth;
  }
  const std::int64_t width = std::min(panels_.width(), place.columns.end - column);
  const std::int64_t bytes = depth->elements() * width * kFloatBytes;
  return {reinterpret_cast<const std::byte*>(panels_.at(*depth, column)), bytes,
          fetch_rate(bytes, blocks, place.depth.elements()), 0};
}

/// How many rows go through all panels before the next rows do.
std::int64_t PanelProduct::rows_together(const Place& place) const {
  const Depth& depth = place.depth;
  const std::int64_t columns = place.columns.end - place.columns.begin;
  const std::int64_t cache = machine().second_level_bytes;
  if (depth.elements() * columns * kFloatBytes > cache / kShareOfPanels)
    return std::max(cache / kShareOfRows / (depth.channels * kFloatBytes), kFewRows);
  return std::max(cache / kShareOfFewRows / ((depth.channels + columns) * kFloatBytes), kFewRows);
}

void PanelProduct::run_depth(const Place& place, CutRange rows) const {
  const std::int64_t most = rows_together(place);
  for (std::int64_t row = rows.begin; row < rows.end; row += most)
    for (std::int64_t panel = place.columns.begin; panel < place.columns.end;
         panel += panels_.width())
      run_panel(place, {row, std::min(row + most, rows.end)},
                {panel, std::min(panel + panels_.width(), place.columns.end)}, row == rows.begin);
}

void PanelProduct::run_panel(const Place& place, CutRange rows, CutRange panel,
                             bool first_rows) const {
  const std::int64_t vectors = ceil_div(panel.end - panel.begin, shape_.lanes);
  const std::int64_t blocks = ceil_div(rows.end - rows.begin, shape_.rows_of(vectors));
  Fetching fetching = what_to_fetch(place, panel, blocks, first_rows);
  PanelBlock block;
  block.channels = place.depth.channels;
  alignas(64) float bias[kWidest] = {};
  if (call_.epilogue.bias) {
    block.bias = place.args.in<float>(Epilogue::kBiasInput) + panel.begin;
    const std::int64_t width = panel.end - panel.begin;
    if (width % shape_.lanes != 0) block.bias = std::copy_n(block.bias, width, bias) - width;
  }
  for (const RowGroup& group : groups_)
    run_group({place, group, group.turn(place.depth), panel}, block, group.within(rows), fetching);
}

/// The rows with these indices in their group.
void PanelProduct::run_group(const GroupPlace& at, PanelBlock block, CutRange rows,
                             Fetching& fetching) const {
  const std::int64_t count = rows.end - rows.begin;
  if (count == 0 || at.turn.taps.begin == at.turn.taps.end) return;
  const Depth& depth = at.place.depth;
  const std::int64_t vectors = ceil_div(at.panel.end - at.panel.begin, shape_.lanes);
  const float* panels[kMostTaps];
  for (std::int64_t i = at.turn.taps.begin; i < at.turn.taps.end; ++i)
    panels[block.taps++] = panels_.at(depth, at.panel.begin) +
                           (at.group.tap(i) - depth.tap) * depth.channels * vectors * shape_.lanes;
  block.panels = panels;
  block.first = at.turn.first;
  block.relu = at.turn.last && call_.epilogue.is_relu();
  const std::int64_t blocks = ceil_div(count, shape_.rows_of(vectors));
  std::int64_t row = rows.begin;
  for (std::int64_t i = 0; i < blocks; ++i) {
    const std::int64_t own = count / blocks + (i < count % blocks ? 1 : 0);
    block.next = fetching.panel != nullptr
                     ? fetching.panel + std::min(fetching.fetched, fetching.panel_bytes)
                     : at.place.args.inputs[0] + (row + own) * call_.row_stride * kFloatBytes;
    fetching.fetched += block.taps * bytes_fetched(fetching.rate, depth.channels);
    run_rows(at, panel_block(isa_, own, vectors, fetching.rate), block, {row, row + own});
    row += own;
  }
}

void PanelProduct::find_pieces(const GroupPlace& at, CutRange rows, const float** pieces) const {
  const Place& place = at.place;
  const float* image =
      place.args.in<float>(0) + place.image * call_.image_stride + place.depth.channel;
  if (at.group.is_whole_image()) {
    for (std::int64_t i = rows.begin; i < rows.end; ++i) *pieces++ = image + i * call_.row_stride;
    return;
  }
  for (std::int64_t tap = at.turn.taps.begin; tap < at.turn.taps.end; ++tap) {
    const std::int32_t* begins = at.group.pieces(tap);
    for (std::int64_t i = rows.begin; i < rows.end; ++i) *pieces++ = image + begins[i];
  }
}

/// Sums lie where their results belong, or aside if they have more columns or are not yet them.
void PanelProduct::run_rows(const GroupPlace& at, RunPanelBlock run, PanelBlock block,
                            CutRange rows) const {
  const float* pieces[kMostTaps * kMostBlockRows];
  find_pieces(at, rows, pieces);
  block.pieces = pieces;
  const Place& place = at.place;
  const std::int64_t pitch = place.args.pitch_of_rows(call_.columns);
  const std::int64_t width = at.panel.end - at.panel.begin;
  const bool whole_vectors = width % shape_.lanes == 0;
  const bool activated = at.turn.last && activation_.function != nullptr;
  const bool aside = activated || !whole_vectors;
  const bool residual = at.turn.last && call_.epilogue.residual;
  alignas(64) float own[kMostBlockRows * kWidest];
  alignas(64) float own_residual[kMostBlockRows * kWidest];
  float* results[kMostBlockRows];
  float* sums[kMostBlockRows];
  const float* residuals[kMostBlockRows];
  const std::int64_t count = rows.end - rows.begin;
  find_rows(at, rows, place.args.out<float>(0), pitch, results);
  if (block.first)
    for (std::int64_t r = 0; r < count; ++r) fetch_row(results[r], width);
  if (aside)
    for (std::int64_t r = 0; r < count; ++r) {
      sums[r] = own + r * kWidest;
      if (!block.first) std::copy_n(results[r], width, sums[r]);
    }
  if (residual) {
    find_rows(at, rows, place.args.in<float>(call_.residual_input), call_.columns, residuals);
    for (std::int64_t r = 0; r < count; ++r) {
      if (whole_vectors)
        fetch_row(residuals[r], width);
      else
        residuals[r] = std::copy_n(residuals[r], width, own_residual + r * kWidest) - width;
    }
    block.residual = residuals;
  }
  block.to = aside ? sums : results;
  run(block);
  if (activated)
    activate(own, results, count, width, at.group.is_whole_image() ? pitch : kApart);
  else if (aside)
    for (std::int64_t r = 0; r < count; ++r) std::copy_n(sums[r], width, results[r]);
}

/// Where the panel's columns of each row begin.
template <class T>
void PanelProduct::find_rows(const GroupPlace& at, CutRange rows, T* first, std::int64_t pitch,
                             T** found) const {
  first += at.place.image * call_.rows * pitch + at.panel.begin;
  if (at.group.is_whole_image()) {
    for (std::int64_t i = rows.begin; i < rows.end; ++i) *found++ = first + i * pitch;
    return;
  }
  for (std::int64_t i = rows.begin; i < rows.end; ++i) *found++ = first + at.group.row(i) * pitch;
}

/// All rows in one call if they have a pitch.
void PanelProduct::activate(const float* sums, float* const* results, std::int64_t rows,
                            std::int64_t width, std::int64_t pitch) const {
  const std::int64_t at_once = pitch == kApart ? 1 : rows;
  for (std::int64_t r = 0; r < rows; r += at_once)
    activation_.function({.a = sums + r * kWidest,
                          .a_row = kWidest,
                          .to = results[r],
                          .rows = at_once,
                          .count = width,
                          .alpha = activation_.alpha,
                          .beta = activation_.beta,
                          .to_row = pitch});
}

}  // namespace braid::cpu
