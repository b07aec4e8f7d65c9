#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>

#include "base/checked.h"
#include "device/cpu/kernels/activation_step.h"
#include "device/cpu/kernels/depthwise_block.h"
#include "device/cpu/machine/large_pages.h"
#include "ops/conv.h"
#include "ops/conv_parts_cpu.h"
#include "ops/kernels_cpu.h"

namespace braid::cpu {
namespace {

/// Channels that are worked on together: few enough that the rows of the input that one row of the
/// output reads stay in a cache for the next.
constexpr std::int64_t kChannelsTogether = 64;
constexpr std::int64_t kMostTapRows = 64;

/// A convolution of channels-last values in which every channel has a kernel of its own. Vectors
/// go along channels:
///
///     for channels that stay in a cache
///       for a row of output pixels       which taps read rows of the input, not padding
///         for a block of its pixels      by its taps of a row: all, or fewer at the ends
///           for a vector of channels     sums in registers
class Depthwise {
 public:
  Depthwise(const ConvGeometry& conv, const Epilogue& epilogue, Tensor weights)
      : channels_(conv.out_channels),
        window_(with_three_axes(conv.window)),
        epilogue_(epilogue),
        weights_(std::move(weights)),
        sliding_(sliding_blocks(isa_, window_.kernel[2],
                                window_.dilations[2] == 1 ? window_.strides[2] : 0)) {
    if (!epilogue.is_relu()) activation_ = activation_step(epilogue);
    find_inner_columns();
  }

  /// Packs the weights at the first call.
  void make() {
    const std::scoped_lock lock(making_);
    if (packed_.bytes != nullptr) return;
    const std::int64_t taps = element_count(window_.kernel);
    const std::int64_t lines = ceil_div(channels_, kWeightLine);
    const std::int64_t floats = checked_mul(checked_mul(lines, kWeightLine), taps);
    packed_ = room_for_constant(checked_mul(floats, std::int64_t{sizeof(float)}));
    auto* to = reinterpret_cast<float*>(packed_.bytes);
    for (std::int64_t line = 0; line < lines; ++line)
      for (std::int64_t tap = 0; tap < taps; ++tap)
        for (std::int64_t i = 0; i < kWeightLine; ++i)
          *to++ = weight(line * kWeightLine + i, tap, taps);
    weights_ = {};
  }

  void run(const KernelArgs& args, const ConvPart& part) const {
    for (std::int64_t image = part.images.begin; image < part.images.end; ++image)
      for (std::int64_t c = part.channels.begin; c < part.channels.end; c += kChannelsTogether)
        for (std::int64_t row = part.rows.begin; row < part.rows.end; ++row)
          run_row(args, image, row, {c, std::min(c + kChannelsTogether, part.channels.end)});
  }

 private:
  /// A row of output pixels and some of its channels.
  struct Row {
    const KernelArgs& args;
    CutRange channels;
    std::int64_t first_pixel = 0;  ///< of the row, among all output pixels
    std::int64_t tap_rows = 0;
    std::array<const float*, kMostTapRows> inputs = {};   ///< of each row of taps
    std::array<const float*, kMostTapRows> weights = {};  ///< of each row of taps
  };

  float weight(std::int64_t channel, std::int64_t tap, std::int64_t taps) const {
    float value = 0;
    // The bytes may be unaligned.
    if (channel < channels_)
      std::memcpy(&value,
                  weights_.bytes().data() + (channel * taps + tap) * std::int64_t{sizeof(float)},
                  sizeof value);
    return value;
  }

  /// The columns for which no tap reads padding.
  void find_inner_columns() {
    inner_ = {0, window_.output[2]};
    for (std::int64_t tap = 0; tap < window_.kernel[2]; ++tap) {
      const TapRange range = tap_range(window_, 2, tap);
      inner_ = {std::max(inner_.begin, range.first), std::min(inner_.end, range.last)};
    }
    if (inner_.end <= inner_.begin) inner_ = {window_.output[2], window_.output[2]};
  }

  /// The taps of one axis that read no padding at an output.
  CutRange taps_at(std::size_t axis, std::int64_t output) const {
    const std::int64_t first = output * window_.strides[axis] - window_.pads_begin[axis];
    const std::int64_t dilation = window_.dilations[axis];
    const std::int64_t begin = first >= 0 ? 0 : ceil_div(-first, dilation);
    const std::int64_t room = window_.input[axis] - first;
    const std::int64_t end =
        room <= 0 ? 0 : std::min(ceil_div(room, dilation), window_.kernel[axis]);
    return {begin, std::max(begin, end)};
  }

  std::int64_t input_at(std::size_t axis, std::int64_t output, std::int64_t tap) const {
    return output * window_.strides[axis] - window_.pads_begin[axis] +
           tap * window_.dilations[axis];
  }

  void run_row(const KernelArgs& args, std::int64_t image, std::int64_t row,
               CutRange channels) const {
    Row at{.args = args, .channels = channels};
    at.first_pixel = (image * window_.output[0] * window_.output[1] + row) * window_.output[2];
    const float* input = args.in<float>(0) + image * element_count(window_.input) * channels_;
    const auto* weights = reinterpret_cast<const float*>(packed_.bytes);
    const std::int64_t plane = row / window_.output[1];
    const std::int64_t line = row % window_.output[1];
    const CutRange planes = taps_at(0, plane);
    const CutRange lines = taps_at(1, line);
    for (std::int64_t a = planes.begin; a < planes.end; ++a)
      for (std::int64_t b = lines.begin; b < lines.end; ++b) {
        const std::int64_t input_row =
            input_at(0, plane, a) * window_.input[1] + input_at(1, line, b);
        const auto i = static_cast<std::size_t>(at.tap_rows++);
        at.inputs[i] = input + input_row * window_.input[2] * channels_;
        at.weights[i] = weights + (a * window_.kernel[1] + b) * window_.kernel[2] * kWeightLine;
      }
    run_columns(at);
  }

  void run_columns(const Row& row) const {
    for (std::int64_t column = 0; column < inner_.begin; ++column)
      run_pixels(row, {column, column + 1}, taps_at(2, column), nullptr);
    const CutRange all{0, window_.kernel[2]};
    const std::int64_t inner = inner_.end - inner_.begin;
    std::int64_t column = inner_.begin;
    if (sliding_.most_pixels > 0) {
      const std::int64_t blocks = ceil_div(inner, sliding_.most_pixels);
      for (std::int64_t i = 0; i < blocks; ++i) {
        const std::int64_t own = inner / blocks + (i < inner % blocks ? 1 : 0);
        run_pixels(row, {column, column + own}, all, sliding_.of[own - 1]);
        column += own;
      }
    }
    for (const std::int64_t own : {8, 4, 1})
      for (; column + own <= inner_.end; column += own)
        run_pixels(row, {column, column + own}, all, nullptr);
    for (; column < window_.output[2]; ++column)
      run_pixels(row, {column, column + 1}, taps_at(2, column), nullptr);
  }

  /// Pixels that have the same taps of a row; by the block for them if there is one.
  void run_pixels(const Row& row, CutRange columns, CutRange taps,
                  RunDepthwiseBlock sliding) const {
    const std::int64_t pixels = columns.end - columns.begin;
    const float* inputs[kMostTapRows];
    const float* weights[kMostTapRows];
    const std::int64_t first = input_at(2, columns.begin, taps.begin) * channels_;
    DepthwiseBlock block;
    block.tap_rows = taps.begin < taps.end ? row.tap_rows : 0;
    for (std::int64_t i = 0; i < block.tap_rows; ++i) {
      inputs[i] = row.inputs[static_cast<std::size_t>(i)] + first;
      weights[i] = row.weights[static_cast<std::size_t>(i)] + taps.begin * kWeightLine;
    }
    block.rows = inputs;
    block.weights = weights;
    block.taps = taps.end - taps.begin;
    block.tap_step = window_.dilations[2] * channels_;
    block.pixel_step = window_.strides[2] * channels_;
    block.weight_line = element_count(window_.kernel) * kWeightLine;
    if (epilogue_.bias) block.bias = row.args.in<float>(Epilogue::kBiasInput);
    const std::int64_t pixel = row.first_pixel + columns.begin;
    if (epilogue_.residual)
      block.residual = row.args.in<float>(Epilogue::kResidualInput) + pixel * channels_;
    block.residual_step = channels_;
    block.relu = epilogue_.is_relu();
    const std::int64_t pitch = row.args.pitch_of_rows(channels_);
    float* to = row.args.out<float>(0) + pixel * pitch + row.channels.begin;
    if (activation_.function == nullptr)
      return run_channels(block, row.channels, to, pitch, pixels, sliding);
    alignas(64) float sums[kMostDepthwisePixels * kChannelsTogether];
    run_channels(block, row.channels, sums, kChannelsTogether, pixels, sliding);
    activation_.function({.a = sums,
                          .a_row = kChannelsTogether,
                          .to = to,
                          .rows = pixels,
                          .count = row.channels.end - row.channels.begin,
                          .alpha = activation_.alpha,
                          .beta = activation_.beta,
                          .to_row = pitch});
  }

  /// In vectors as wide as they can be, down to one channel.
  void run_channels(DepthwiseBlock block, CutRange channels, float* to, std::int64_t to_step,
                    std::int64_t pixels, RunDepthwiseBlock sliding) const {
    block.channel = channels.begin;
    block.to_step = to_step;
    const std::int64_t widest = depthwise_lanes(isa_);
    for (const std::int64_t lanes : {16, 8, 4, 1}) {
      if (lanes > widest) continue;
      block.vectors = (channels.end - block.channel) / lanes;
      if (block.vectors == 0) continue;
      block.to = to + (block.channel - channels.begin);
      if (lanes == widest && sliding != nullptr)
        sliding(block);
      else
        run_narrow(block, lanes, pixels);
      block.channel += block.vectors * lanes;
    }
  }

  /// Pixels for whose number there may be no block.
  void run_narrow(DepthwiseBlock block, std::int64_t lanes, std::int64_t pixels) const {
    const float* inputs[kMostTapRows];
    std::copy_n(block.rows, block.tap_rows, inputs);
    block.rows = inputs;
    for (const std::int64_t own : {8, 4, 1})
      for (; own <= pixels; pixels -= own) {
        depthwise_block(isa_, lanes, own)(block);
        for (std::int64_t i = 0; i < block.tap_rows; ++i) inputs[i] += own * block.pixel_step;
        block.to += own * block.to_step;
        if (block.residual != nullptr) block.residual += own * block.residual_step;
      }
  }

  std::int64_t channels_;
  Window window_;
  Epilogue epilogue_;
  ActivationStep activation_;
  Tensor weights_;
  const Isa isa_ = isa();
  const SlidingBlocks& sliding_;
  CutRange inner_;
  std::mutex making_;
  HeldBytes packed_;
};

bool suits_depthwise(const OpCall& call, const ConvGeometry& conv) {
  const Window window = with_three_axes(conv.window);
  return call.input(0).element == ElementType::F32 && call.known[1] != nullptr && conv.groups > 1 &&
         conv.groups == conv.in_channels && conv.groups == conv.out_channels &&
         window.kernel[0] * window.kernel[1] <= kMostTapRows;
}

}  // namespace

std::optional<Way> prepare_conv_depthwise(const KernelCall& call) {
  const ConvGeometry conv = conv_geometry(call.op);
  if (!suits_depthwise(call.op, conv)) return std::nullopt;
  const auto kernel = std::make_shared<Depthwise>(conv, read_epilogue(call.op), *call.op.known[1]);
  Way way = conv_way(call.op, conv, "depthwise", kWeightLine);
  way.make = [=, output = call.op.outputs[0]](const Part& part) -> Kernel {
    kernel->make();
    return [=, own = conv_part(conv, output, part)](const KernelArgs& args) {
      kernel->run(args, own);
    };
  };
  return way;
}

}  // namespace braid::cpu
