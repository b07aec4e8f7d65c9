#include <algorithm>
#include <cstring>
#include <memory>

#include "base/checked.h"
#include "device/cpu/kernels/image_band.h"
#include "device/cpu/kernels/image_block.h"
#include "device/cpu/kernels/packed_panels.h"
#include "device/cpu/machine/machine.h"
#include "ops/conv.h"
#include "ops/conv_parts_cpu.h"
#include "ops/kernels_cpu.h"

namespace braid::cpu {
namespace {

constexpr std::int64_t kFloatBytes = sizeof(float);
/// Products per sum from which on this kernel pays: with fewer, the work around the sums takes
/// longer than they do.
constexpr std::int64_t kLeastDepth = 16;
/// Products per sum, at most, so that tables and panels are of a sensible size.
constexpr std::int64_t kMostDepth = 1 << 14;

/// Lines and results take half of the second-level cache. Where all weights would not stay in the
/// other half, they are read again for each band, and more lines at a time are better.
ImageBand::Room room_for_band(const ConvGeometry& conv) {
  const std::int64_t half = machine().second_level_bytes / 2;
  const std::int64_t weights = element_count(conv.window.kernel) * conv.in_channels;
  if (checked_mul(weights, conv.out_channels) * kFloatBytes > half) return {half, 0};
  return {half, conv.window.output.back() * conv.out_channels * kFloatBytes};
}

/// As few panels as can be, of even width.
std::int64_t width_of_panels(const PanelShape& shape, std::int64_t columns) {
  const std::int64_t vectors = ceil_div(columns, shape.lanes);
  return ceil_div(vectors, ceil_div(vectors, shape.most_vectors)) * shape.lanes;
}

/// A convolution of an image, whose few channels are not enough for a piece of a row: a product in
/// panels (panel_product.h), whose rows read a copy of some lines of the image (image_band.h).
///
///     for a band of output pixels    whose lines and results stay in the second-level cache
///       for a depth                  some taps of the kernel
///         for a panel                its part of the depth
///           for a row of pixels
///             for a block of them    sums in registers
class ImageConv {
 public:
  ImageConv(const ConvGeometry& conv, const Epilogue& epilogue, Tensor weights, bool channels_last)
      : conv_(conv),
        window_(with_three_axes(conv.window)),
        epilogue_(epilogue),
        done_in_blocks_(block_activation(epilogue)),
        activation_(step_after_blocks(epilogue)),
        weights_(std::move(weights)),
        band_(conv, channels_last, room_for_band(conv)),
        shape_(panel_shape(isa_)),
        packed_columns_(ceil_div(conv.out_channels, shape_.lanes) * shape_.lanes),
        panels_({std::ssize(band_.taps()), band_.piece(), packed_columns_,
                 width_of_panels(shape_, conv.out_channels), shape_.lanes}) {}

  std::int64_t width() const { return panels_.width(); }
  std::int64_t scratch_bytes() const { return band_.bytes(); }

  /// Packs the weights at the first call.
  void make() {
    panels_.make(weights_, [&](const std::byte* weights, std::int64_t tap, std::int64_t element,
                               std::int64_t packed_column) {
      const std::int64_t column = column_of(packed_column);
      if (column >= conv_.out_channels) return 0.0F;
      const std::int64_t channel = element % conv_.in_channels;
      const std::int64_t in_row = element / conv_.in_channels;
      const std::int64_t row =
          (column * conv_.in_channels + channel) * std::ssize(band_.taps()) + tap;
      float weight = 0;
      // The bytes may be unaligned.
      std::memcpy(&weight, weights + (row * window_.kernel[2] + in_row) * kFloatBytes,
                  sizeof weight);
      return weight;
    });
  }

  void run(const KernelArgs& args, const ConvPart& part) const {
    const std::int64_t rows_of_plane = window_.output[1];
    for (std::int64_t image = part.images.begin; image < part.images.end; ++image)
      for (std::int64_t row = part.rows.begin; row < part.rows.end;) {
        const std::int64_t plane = row / rows_of_plane;
        const std::int64_t end =
            std::min({row + band_.rows(), part.rows.end, (plane + 1) * rows_of_plane});
        run_band({args, image, plane, {row, end}, part.channels});
        row = end;
      }
  }

 private:
  /// Rows of output pixels that are of one plane, and some columns.
  struct Band {
    const KernelArgs& args;
    std::int64_t image;
    std::int64_t plane;
    CutRange rows;
    CutRange columns;
  };

  /// The last panel has its last columns in its last vector, even if some are in the vector before,
  /// unless it is narrower than one.
  std::int64_t column_of(std::int64_t packed_column) const {
    const std::int64_t last_panel = (conv_.out_channels - 1) / width() * width();
    const bool is_in_last_vector = packed_column >= packed_columns_ - shape_.lanes;
    return is_in_last_vector && conv_.out_channels - last_panel >= shape_.lanes
               ? packed_column - (packed_columns_ - conv_.out_channels)
               : packed_column;
  }

  static float* lines_of(const Band& band) { return reinterpret_cast<float*>(band.args.scratch); }

  void run_band(const Band& band) const {
    const std::int64_t image_elements = element_count(window_.input) * conv_.in_channels;
    const std::int64_t first_row = band.plane * window_.output[1];
    band_.fill(band.args.in<float>(0) + band.image * image_elements, band.plane,
               {band.rows.begin - first_row, band.rows.end - first_row}, lines_of(band));
    for (const Depth& depth : panels_.depths())
      for (std::int64_t column = band.columns.begin; column < band.columns.end; column += width())
        run_panel(band, depth, {column, std::min(column + width(), band.columns.end)});
  }

  void run_panel(const Band& band, const Depth& depth, CutRange panel) const {
    const KernelArgs& args = band.args;
    const std::int64_t columns = panel.end - panel.begin;
    const std::int64_t row_pixels = window_.output[2];
    const std::int64_t first_pixel =
        (band.image * window_.output[0] * window_.output[1] + band.rows.begin) * row_pixels;
    ImageBlocks blocks;
    blocks.pieces = lines_of(band) + depth.channel;
    blocks.next_pixel = band_.next_pixel();
    blocks.taps = band_.taps().data() + depth.tap;
    blocks.tap_count = depth.taps;
    blocks.piece = depth.channels;
    blocks.panel = panels_.at(depth, panel.begin);
    blocks.last_vector = std::max(columns - shape_.lanes, std::int64_t{0});
    blocks.pitch = args.pitch_of_rows(conv_.out_channels);
    blocks.to = args.out<float>(0) + first_pixel * blocks.pitch + panel.begin;
    blocks.first = depth.index == 0;
    alignas(64) float bias[kWidestPanel] = {};
    if (epilogue_.bias) {
      std::copy_n(args.in<float>(Epilogue::kBiasInput) + panel.begin, columns, bias);
      blocks.bias = bias;
    }
    blocks.residual_pitch = conv_.out_channels;
    if (depth.last) {
      if (epilogue_.residual)
        blocks.residual = args.in<float>(Epilogue::kResidualInput) +
                          first_pixel * conv_.out_channels + panel.begin;
      blocks.activation = done_in_blocks_;
    }
    Fetching fetching = what_to_fetch(band, depth, panel);
    for (std::int64_t row = band.rows.begin; row < band.rows.end; ++row) {
      run_row(blocks, columns, depth.last, fetching);
      blocks.pieces += band_.next_row();
      blocks.to += row_pixels * blocks.pitch;
      if (blocks.residual != nullptr) blocks.residual += row_pixels * blocks.residual_pitch;
    }
  }

  /// The next panel, which is fetched in the course of all rows.
  struct Fetching {
    const std::byte* next = nullptr;
    const std::byte* end = nullptr;
  };
  Fetching what_to_fetch(const Band& band, const Depth& depth, CutRange panel) const {
    const bool is_last = panel.end == band.columns.end;
    const Depth& next = is_last && !depth.last ? panels_.depths()[depth.index + 1] : depth;
    const std::int64_t column = is_last ? band.columns.begin : panel.end;
    const std::int64_t columns = std::min(width(), band.columns.end - column);
    const auto* begin = reinterpret_cast<const std::byte*>(panels_.at(next, column));
    return {begin, begin + next.elements() * columns * kFloatBytes};
  }

  /// In blocks that are as even as can be: larger ones, then some with one pixel less.
  void run_row(ImageBlocks blocks, std::int64_t columns, bool is_last, Fetching& fetching) const {
    const std::int64_t vectors = ceil_div(columns, shape_.lanes);
    const std::int64_t pixels = window_.output[2];
    const std::int64_t count = ceil_div(pixels, shape_.rows_of(vectors));
    const bool aside = columns < shape_.lanes || (is_last && activation_.function != nullptr);
    const std::int64_t together = aside ? 1 : count;
    for (std::int64_t done = 0; done < count; done += blocks.count) {
      const std::int64_t larger = pixels % count;
      const std::int64_t size = pixels / count + (done < larger ? 1 : 0);
      blocks.count = std::min(together, (done < larger ? larger : count) - done);
      blocks.next = fetching.next;
      fetching.next += std::min(bytes_fetched(blocks), fetching.end - fetching.next);
      const RunImageBlocks run = image_blocks(isa_, size, vectors);
      if (aside)
        run_aside(run, blocks, {size, columns}, is_last);
      else
        run(blocks);
      const std::int64_t done_pixels = blocks.count * size;
      blocks.pieces += done_pixels * blocks.next_pixel;
      blocks.to += done_pixels * blocks.pitch;
      if (blocks.residual != nullptr) blocks.residual += done_pixels * blocks.residual_pitch;
    }
  }

  struct Extent {
    std::int64_t pixels;
    std::int64_t columns;
  };

  static void copy_pixels(const Extent& extent, const float* from, std::int64_t from_pitch,
                          float* to, std::int64_t to_pitch) {
    for (std::int64_t i = 0; i < extent.pixels; ++i)
      std::copy_n(from + i * from_pitch, extent.columns, to + i * to_pitch);
  }

  /// One block whose sums have more columns than their results, or are to be activated on their
  /// way.
  void run_aside(RunImageBlocks run, ImageBlocks block, const Extent& extent, bool is_last) const {
    alignas(64) float sums[kMostBlockRows * kWidestPanel];
    alignas(64) float residual[kMostBlockRows * kWidestPanel];
    float* const to = block.to;
    const std::int64_t pitch = block.pitch;
    if (!block.first) copy_pixels(extent, to, pitch, sums, kWidestPanel);
    if (block.residual != nullptr) {
      copy_pixels(extent, block.residual, block.residual_pitch, residual, kWidestPanel);
      block.residual = residual;
      block.residual_pitch = kWidestPanel;
    }
    block.to = sums;
    block.pitch = kWidestPanel;
    run(block);
    if (is_last && activation_.function != nullptr)
      activation_.function({.a = sums,
                            .a_row = kWidestPanel,
                            .to = to,
                            .rows = extent.pixels,
                            .count = extent.columns,
                            .alpha = activation_.alpha,
                            .beta = activation_.beta,
                            .to_row = pitch});
    else
      copy_pixels(extent, sums, kWidestPanel, to, pitch);
  }

  ConvGeometry conv_;
  Window window_;
  Epilogue epilogue_;
  BlockActivation done_in_blocks_;
  ActivationStep activation_;
  Tensor weights_;
  ImageBand band_;
  const Isa isa_ = isa();
  const PanelShape& shape_;
  std::int64_t packed_columns_;
  PackedPanels panels_;
};

/// Whether a kernel can be made, fast or not. Padding times an infinity would be NaN.
bool suits_image(const OpCall& call, const ConvGeometry& conv) {
  return call.input(0).element == ElementType::F32 && call.known[1] != nullptr &&
         conv.groups == 1 && conv.in_channels < kLeastChannelsOfTaps &&
         conv.window.dilations.back() == 1 &&
         element_count(conv.window.kernel) * conv.in_channels <= kMostDepth &&
         ImageBand::can_hold(conv) && are_finite(*call.known[1]);
}

/// Whether the kernel is likely to be the fastest: output channels fill a vector.
bool is_worthwhile_image(const ConvGeometry& conv) {
  return element_count(conv.window.kernel) * conv.in_channels >= kLeastDepth &&
         conv.out_channels >= panel_shape(isa()).lanes;
}

}  // namespace

std::optional<Way> prepare_conv_image(const KernelCall& call) {
  const ConvGeometry conv = conv_geometry(call.op);
  if (!is_worthwhile_image(conv) && !call.asks_for(kImage)) return std::nullopt;
  if (!suits_image(call.op, conv)) return std::nullopt;
  const AxisOrder order =
      call.inputs[0] == channels_last_order(call.op.dims(0).size()) ? call.inputs[0] : AxisOrder{};
  const auto kernel =
      std::make_shared<ImageConv>(conv, read_epilogue(call.op), *call.op.known[1], !order.empty());
  Way way = conv_way(call.op, conv, kImage, kernel->width());
  way.input_orders[0] = order;
  way.scratch_bytes = kernel->scratch_bytes();
  way.make = parts_of(kernel, conv, call.op.outputs[0]);
  return way;
}

}  // namespace braid::cpu
