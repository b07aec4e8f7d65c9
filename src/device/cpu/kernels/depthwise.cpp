#include "device/cpu/kernels/depthwise.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/checked.h"
#include "device/cpu/kernels/block_activation.h"
#include "device/cpu/kernels/window_rows.h"
#include "device/cpu/machine/machine.h"
#include "tensor/passing_tensors.h"

namespace braid::cpu {
namespace {

/// Channels that are worked on together: as many as sums on their way to an activation have room
/// for, but so few that the rows of the input that two rows of the output read take no more than
/// this part of the second-level cache, where they stay for the next. Fewer than some lines are
/// never worth another pass.
constexpr std::int64_t kMostChannelsTogether = 256;
constexpr std::int64_t kLeastChannelsTogether = 64;
constexpr std::int64_t kShareOfRows = 2;
constexpr std::int64_t kMostTapRows = 64;

std::int64_t channels_together(const Window& window) {
  const double row = static_cast<double>(window.input[2]) * sizeof(float);
  const double rows = static_cast<double>(window.kernel[0]) *
                      static_cast<double>(window.kernel[1] + window.strides[1]);
  const std::int64_t share = machine().second_level_bytes / kShareOfRows;
  const double channels = static_cast<double>(share) / (rows * row);
  return static_cast<std::int64_t>(
      std::clamp<double>(channels, kLeastChannelsTogether, kMostChannelsTogether));
}

/// A window over the last two axes that moves on by one pixel, over neighbours.
bool is_plain(const Window& window) {
  return window.kernel[0] == 1 && window.strides[1] == 1 && window.strides[2] == 1 &&
         window.dilations[1] == 1 && window.dilations[2] == 1;
}

}  // namespace

/// A row of output pixels, or two, on their way.
struct Depthwise::Row {
  DepthwiseBlock block;
  std::int64_t count = 1;
  float* to = nullptr;
  const float* residual = nullptr;
  std::int64_t pitch = 0;
  std::array<const float*, kMostTapRows + 1> inputs;  ///< of each row of taps, and one below
  std::array<const float*, kMostTapRows> weights;     ///< of each row of taps
};

Depthwise::Depthwise(const ConvGeometry& conv, const Epilogue& epilogue, Tensor weights)
    : channels_(conv.out_channels),
      window_(with_three_axes(conv.window)),
      channels_together_(channels_together(window_)),
      done_in_blocks_(block_activation(epilogue)),
      activation_(step_after_blocks(epilogue)),
      weights_(std::move(weights)),
      sliding_(sliding_blocks(isa_, window_.kernel[2],
                              window_.dilations[2] == 1 ? window_.strides[2] : 0)),
      sliding_pairs_(sliding_pair_blocks(isa_, is_plain(window_) ? window_.kernel[2] : 0)) {
  find_inner_columns();
}

bool Depthwise::suits(const OpCall& call, const ConvGeometry& conv) {
  const Window window = with_three_axes(conv.window);
  return call.input(0).element == ElementType::F32 && call.known[1] != nullptr && conv.groups > 1 &&
         conv.groups == conv.in_channels && conv.groups == conv.out_channels &&
         window.kernel[0] * window.kernel[1] <= kMostTapRows;
}

void Depthwise::make() {
  const std::scoped_lock lock(making_);
  if (packed_.bytes != nullptr) return;
  const PassingTensors passing;
  const std::int64_t taps = element_count(window_.kernel);
  const std::int64_t floats = checked_mul(kWeightLine * (lines() + 1), taps);
  packed_ = room_for_constant(checked_mul(floats, std::int64_t{sizeof(float)}));
  auto* to = reinterpret_cast<float*>(packed_.bytes);
  for (std::int64_t line = 0; line <= lines(); ++line) {
    const std::int64_t first = line < lines() ? line * kWeightLine : channels_ - kWeightLine;
    for (std::int64_t tap = 0; tap < taps; ++tap)
      for (std::int64_t i = 0; i < kWeightLine; ++i) *to++ = weight(first + i, tap, taps);
  }
  weights_ = {};
}

void Depthwise::run(const DepthwiseRows& at, CutRange rows, CutRange channels) const {
  const std::int64_t count = channels.end - channels.begin;
  const std::int64_t passes = std::max<std::int64_t>(1, ceil_div(count, channels_together_));
  const std::int64_t step = ceil_div(ceil_div(count, passes), kWeightLine) * kWeightLine;
  for (std::int64_t c = channels.begin; c < channels.end; c += step)
    for (std::int64_t index = rows.begin; index < rows.end;) {
      const CutRange own{c, std::min(c + step, channels.end)};
      Row row;
      if (own.end - own.begin >= depthwise_lanes(isa_)) row.count = rows_together(index, rows.end);
      find_row(at, index, (index - rows.begin) * window_.output[2], row);
      run_row(row, own);
      index += row.count;
    }
}

/// Two if all taps of both read rows of the input.
std::int64_t Depthwise::rows_together(std::int64_t index, std::int64_t end) const {
  const std::int64_t line = index % window_.output[1];
  const CutRange planes = taps_at(window_, 0, index / window_.output[1]);
  if (sliding_pairs_.most_pixels == 0 || index + 1 == end || line + 1 == window_.output[1] ||
      planes.begin == planes.end)
    return 1;
  const bool whole = taps_at(window_, 1, line).begin == 0 &&
                     taps_at(window_, 1, line + 1).end == window_.kernel[1];
  return whole ? 2 : 1;
}

/// Lines of weights. Behind them is one of the last channels, for vectors that end with them.
std::int64_t Depthwise::lines() const { return ceil_div(channels_, kWeightLine); }

float Depthwise::weight(std::int64_t channel, std::int64_t tap, std::int64_t taps) const {
  float value = 0;
  // The bytes may be unaligned.
  if (channel >= 0 && channel < channels_)
    std::memcpy(&value,
                weights_.bytes().data() + (channel * taps + tap) * std::int64_t{sizeof(float)},
                sizeof value);
  return value;
}

/// The columns for which no tap reads padding.
void Depthwise::find_inner_columns() {
  inner_ = {0, window_.output[2]};
  for (std::int64_t tap = 0; tap < window_.kernel[2]; ++tap) {
    const TapRange range = tap_range(window_, 2, tap);
    inner_ = {std::max(inner_.begin, range.first), std::min(inner_.end, range.last)};
  }
  if (inner_.end <= inner_.begin) inner_ = {window_.output[2], window_.output[2]};
}

std::int64_t Depthwise::input_at(std::size_t axis, std::int64_t output, std::int64_t tap) const {
  return output * window_.strides[axis] - window_.pads_begin[axis] + tap * window_.dilations[axis];
}

void Depthwise::run_row(Row& row, CutRange channels) const {
  const std::int64_t widest = depthwise_lanes(isa_);
  if (sliding_.most_pixels > 0 && channels.end - channels.begin >= widest)
    return slide_whole_vectors(row, channels);
  for (const std::int64_t lanes : {16, 8, 4, 1}) {
    if (lanes > widest) continue;
    row.block.channel = row.block.weight_channel = channels.begin;
    row.block.vectors = (channels.end - channels.begin) / lanes;
    if (row.block.vectors > 0) run_any_columns(row, lanes);
    channels.begin += row.block.vectors * lanes;
  }
}

/// The last vector may share channels with the one before it.
void Depthwise::slide_whole_vectors(Row& row, CutRange channels) const {
  const std::int64_t lanes = depthwise_lanes(isa_);
  DepthwiseBlock& block = row.block;
  block.channel = block.weight_channel = channels.begin;
  block.vectors = (channels.end - channels.begin) / lanes;
  slide(row);
  if ((channels.end - channels.begin) % lanes == 0) return;
  block.channel = channels.end - lanes;
  block.weight_channel = (lines() + 1) * kWeightLine - lanes;
  block.vectors = 1;
  slide(row);
}

void Depthwise::find_row(const DepthwiseRows& at, std::int64_t index, std::int64_t pixels_before,
                         Row& row) const {
  const auto* weights = reinterpret_cast<const float*>(packed_.bytes);
  const std::int64_t plane = index / window_.output[1];
  const std::int64_t line = index % window_.output[1];
  const CutRange planes = taps_at(window_, 0, plane);
  const CutRange lines = taps_at(window_, 1, line);
  DepthwiseBlock& block = row.block;
  for (std::int64_t a = planes.begin; a < planes.end; ++a)
    for (std::int64_t b = lines.begin; b < lines.end; ++b) {
      const std::int64_t input_row =
          input_at(0, plane, a) * window_.input[1] + input_at(1, line, b);
      const auto i = static_cast<std::size_t>(block.tap_rows++);
      row.inputs[i] = at.image + input_row * window_.input[2] * channels_;
      row.weights[i] = weights + (a * window_.kernel[1] + b) * window_.kernel[2] * kWeightLine;
    }
  if (row.count > 1) {
    const auto last = static_cast<std::size_t>(block.tap_rows);
    row.inputs[last] = row.inputs[last - 1] + window_.input[2] * channels_;
  }
  block.rows = row.inputs.data();
  block.weights = row.weights.data();
  block.tap_step = window_.dilations[2] * channels_;
  block.pixel_step = window_.strides[2] * channels_;
  block.weight_line = element_count(window_.kernel) * kWeightLine;
  block.bias = at.bias;
  block.residual_step = channels_;
  block.residual_row = window_.output[2] * channels_;
  block.activation = done_in_blocks_;
  if (at.residual != nullptr) row.residual = at.residual + pixels_before * channels_;
  row.pitch = at.pitch;
  row.to = at.to + pixels_before * row.pitch;
}

/// Blocks side by side, as even as can be.
void Depthwise::slide(Row& row) const {
  const SlidingBlocks& sliding = row.count > 1 ? sliding_pairs_ : sliding_;
  const std::int64_t columns = window_.output[2];
  const std::int64_t blocks = ceil_div(columns, sliding.most_pixels);
  std::int64_t column = 0;
  for (std::int64_t i = 0; i < blocks; ++i) {
    const std::int64_t own = columns / blocks + (i < columns % blocks ? 1 : 0);
    const std::int64_t begin = input_at(2, column, 0);
    const std::int64_t end = input_at(2, column + own - 1, window_.kernel[2]);
    const std::int64_t first = std::clamp(begin, std::int64_t{0}, window_.input[2]);
    row.block.first_input = first * channels_;
    row.block.first_tap = first - begin;
    row.block.taps = std::min(end, window_.input[2]) - first;
    run_pixels(row, sliding.of[own], {column, column + own}, depthwise_lanes(isa_));
    column += own;
  }
}

/// Pixels that read padding one by one.
void Depthwise::run_any_columns(Row& row, std::int64_t lanes) const {
  for (std::int64_t column = 0; column < window_.output[2];) {
    std::int64_t own = 1;
    if (column >= inner_.begin && column < inner_.end)
      own = inner_.end - column >= 8 ? 8 : inner_.end - column >= 4 ? 4 : 1;
    const CutRange taps = taps_at(window_, 2, column);
    row.block.first_tap = taps.begin;
    row.block.taps = taps.end - taps.begin;
    row.block.first_input = row.block.taps > 0 ? input_at(2, column, taps.begin) * channels_ : 0;
    run_pixels(row, depthwise_block(isa_, lanes, own), {column, column + own}, lanes);
    column += own;
  }
}

void Depthwise::run_pixels(Row& row, RunDepthwiseBlock run_block, CutRange columns,
                           std::int64_t lanes) const {
  DepthwiseBlock& block = row.block;
  float* to = row.to + columns.begin * row.pitch + block.channel;
  if (row.residual != nullptr) block.residual = row.residual + columns.begin * channels_;
  if (activation_.function == nullptr) {
    block.to = to;
    block.to_step = row.pitch;
    block.to_row = window_.output[2] * row.pitch;
    return run_block(block);
  }
  constexpr std::int64_t row_floats = kMostDepthwisePixels * kMostChannelsTogether;
  alignas(64) float sums[2 * row_floats];
  block.to = sums;
  block.to_step = kMostChannelsTogether;
  block.to_row = row_floats;
  run_block(block);
  for (std::int64_t r = 0; r < row.count; ++r)
    activation_.function({.a = sums + r * row_floats,
                          .a_row = kMostChannelsTogether,
                          .to = to + r * window_.output[2] * row.pitch,
                          .rows = columns.end - columns.begin,
                          .count = block.vectors * lanes,
                          .alpha = activation_.alpha,
                          .beta = activation_.beta,
                          .to_row = row.pitch});
}

}  // namespace braid::cpu
