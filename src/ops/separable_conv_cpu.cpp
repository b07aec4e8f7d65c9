#include <algorithm>
#include <array>
#include <memory>
#include <mutex>

#include "base/checked.h"
#include "device/cpu/kernels/depthwise.h"
#include "device/cpu/kernels/panel_way.h"
#include "device/cpu/machine/machine.h"
#include "ops/conv_parts_cpu.h"
#include "ops/kernels_cpu.h"
#include "ops/separable_conv.h"

namespace braid::cpu {
namespace {

constexpr std::int64_t kFloatBytes = sizeof(float);
/// Rows between the two convolutions may fill this share of the second-level cache. They stay in it
/// beside the rows that are read, the results, and the panels.
constexpr std::int64_t kShareOfCache = 8;

PanelProductCall product_of_pixels(const OpCall& call, const ConvGeometry& conv) {
  PanelProductCall product;
  product.rows = checked_mul(conv.batch, element_count(conv.window.output));
  product.columns = conv.out_channels;
  product.channels = conv.in_channels;
  product.row_stride = conv.in_channels;
  product.matrix = *call.known[1];
  product.channel_stride = 1;
  product.column_stride = conv.in_channels;
  product.epilogue = read_epilogue(call);
  return product;
}

/// The depthwise convolution writes a tile, some rows of pixels, which the panels then read:
///
///     input rows --taps--> tile --panels--> output rows        tile after tile
///
/// Rows of pixels are counted through all images.
class SeparablePair {
 public:
  SeparablePair(const SeparableCalls& calls, const ConvGeometry& conv, std::int64_t tile_rows)
      : image_rows_(element_count(conv.window.output) / conv.window.output.back()),
        row_pixels_(conv.window.output.back()),
        input_pixels_(element_count(conv.window.input)),
        channels_(conv.in_channels),
        tile_rows_(tile_rows),
        columns_(calls.pointwise().outputs[0].dims[1]),
        depthwise_(conv, read_epilogue(calls.depthwise()), *calls.depthwise().known[1]),
        product_(product_of_pixels(calls.pointwise(), conv_geometry(calls.pointwise()))) {}

  /// Packs the weights at the first call.
  void make() {
    depthwise_.make();
    const std::scoped_lock lock(making_);
    if (!panels_) panels_ = make_panel_rows(std::move(product_));
  }

  void run(const KernelArgs& args, const ConvPart& part) const {
    const std::int64_t end = (part.images.end - 1) * image_rows_ + part.rows.end;
    std::int64_t row = part.images.begin * image_rows_ + part.rows.begin;
    for (; row < end; row += tile_rows_) {
      const CutRange tile{row, std::min(row + tile_rows_, end)};
      convolve(args, tile);
      multiply(args, tile);
    }
  }

 private:
  /// Null if it is absent.
  static const std::byte* input_at(const KernelArgs& args, std::size_t i) {
    return i < args.inputs.size() ? args.inputs[i] : nullptr;
  }

  void convolve(const KernelArgs& args, CutRange tile) const {
    DepthwiseRows at;
    at.bias = reinterpret_cast<const float*>(input_at(args, SeparableInput::kDepthwiseBias));
    at.pitch = channels_;
    at.to = reinterpret_cast<float*>(args.scratch);
    while (tile.begin < tile.end) {
      const std::int64_t image = tile.begin / image_rows_;
      const std::int64_t before = image * image_rows_;
      const std::int64_t end = std::min(tile.end, before + image_rows_);
      at.image = args.in<float>(0) + image * input_pixels_ * channels_;
      depthwise_.run(at, {tile.begin - before, end - before}, {0, channels_});
      at.to += (end - tile.begin) * row_pixels_ * channels_;
      tile.begin = end;
    }
  }

  void multiply(const KernelArgs& args, CutRange tile) const {
    const std::int64_t first = tile.begin * row_pixels_;
    const std::byte* residual = input_at(args, SeparableInput::kResidual);
    if (residual != nullptr) residual += first * columns_ * kFloatBytes;
    const std::array<const std::byte*, 4> inputs = {
        args.scratch, nullptr, input_at(args, SeparableInput::kPointwiseBias), residual};
    const std::array<std::byte*, 1> outputs = {args.outputs[0] +
                                               first * args.pitch_of_rows(columns_) * kFloatBytes};
    panels_({inputs, outputs, nullptr, args.pitch}, (tile.end - tile.begin) * row_pixels_);
  }

  std::int64_t image_rows_;
  std::int64_t row_pixels_;
  std::int64_t input_pixels_;
  std::int64_t channels_;
  std::int64_t tile_rows_;
  std::int64_t columns_;
  Depthwise depthwise_;
  std::mutex making_;
  PanelProductCall product_;
  PanelRowsKernel panels_;
};

std::int64_t row_bytes(const ConvGeometry& conv) {
  return checked_mul(checked_mul(conv.window.output.back(), conv.in_channels), kFloatBytes);
}

std::int64_t all_rows(const ConvGeometry& conv) {
  return checked_mul(conv.batch, element_count(conv.window.output)) / conv.window.output.back();
}

std::int64_t rows_that_stay(const ConvGeometry& conv) {
  return std::clamp(machine().second_level_bytes / kShareOfCache / row_bytes(conv), std::int64_t{1},
                    all_rows(conv));
}

std::optional<Way> prepare_pair(const KernelCall& call, std::string_view implementation,
                                std::int64_t (*tile_rows_of)(const ConvGeometry&)) {
  const SeparableCalls calls(call.op);
  ConvGeometry conv = conv_geometry(calls.depthwise());
  if (!Depthwise::suits(calls.depthwise(), conv) || calls.pointwise().known[1] == nullptr)
    return std::nullopt;
  const std::int64_t tile_rows = tile_rows_of(conv);
  const auto kernel = std::make_shared<SeparablePair>(calls, conv, tile_rows);
  conv.out_channels = call.op.outputs[0].dims[1];
  Way way = conv_way(call.op, conv, implementation, conv.out_channels);
  way.scratch_bytes = checked_mul(tile_rows, row_bytes(conv));
  way.packed_inputs = {1, SeparableInput::kPointwiseWeights};
  const AxisOrder channels_last = way.output_orders[0];
  way.input_orders = {channels_last, {}, {}, {}, {}, channels_last};
  way.make = parts_of(kernel, conv, call.op.outputs[0]);
  return way;
}

}  // namespace

std::optional<Way> prepare_separable_apart(const KernelCall& call) {
  return prepare_pair(call, kApart, all_rows);
}

std::optional<Way> prepare_separable_in_one_pass(const KernelCall& call) {
  return prepare_pair(call, kSeparable, rows_that_stay);
}

}  // namespace braid::cpu
