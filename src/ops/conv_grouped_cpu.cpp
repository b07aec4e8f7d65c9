#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <numeric>

#include "base/checked.h"
#include "device/cpu/kernels/block_activation.h"
#include "device/cpu/kernels/grouped_block.h"
#include "device/cpu/kernels/window_rows.h"
#include "device/cpu/machine/large_pages.h"
#include "device/cpu/machine/machine.h"
#include "ops/conv.h"
#include "ops/conv_parts_cpu.h"
#include "ops/kernels_cpu.h"
#include "tensor/passing_tensors.h"

namespace braid::cpu {
namespace {

/// Input that goes through all panels together takes this part of a core's second-level cache.
constexpr std::int64_t kShareOfBand = 4;
/// Parts by channels begin at a line of the cache.
constexpr std::int64_t kChannelsOfLine = 16;
/// Of a group.
constexpr std::int64_t kMostChannels = 64;

/// Output channels that lie in registers together.
struct GroupedPanel {
  GroupedShape shape;
  const GroupedBlocks* blocks = nullptr;
  std::int64_t first_output = 0;
  std::int64_t first_input = 0;
  std::int64_t weights = 0;  ///< where they begin among all
};

/// A grouped convolution of channels-last values: a small product for each group. Pixels are
/// grouped by the taps that read no padding, so blocks have no borders:
///
///     for some rows of pixels      whose input stays in a cache
///       for a panel                its weights stay in a nearer one
///         for a block of pixels    under the same taps: sums in registers
class Grouped {
 public:
  Grouped(const ConvGeometry& conv, const Epilogue& epilogue, Tensor weights,
          std::vector<PanelRows> pixels)
      : conv_(conv),
        taps_(element_count(conv.window.kernel)),
        row_pixels_(conv.window.output.back()),
        epilogue_(epilogue),
        done_in_blocks_(block_activation(epilogue)),
        activation_(step_after_blocks(epilogue)),
        weights_(std::move(weights)),
        pixels_(std::move(pixels)) {
    find_panels();
    find_inner_columns();
  }

  /// Packs the weights at the first call.
  void make() {
    const std::scoped_lock lock(making_);
    if (packed_.bytes != nullptr) return;
    const PassingTensors passing;
    packed_ = room_for_constant(element_count(weights_.type()) * std::int64_t{sizeof(float)});
    auto* to = reinterpret_cast<float*>(packed_.bytes);
    for (const GroupedPanel& panel : panels_)
      for (std::int64_t tap = 0; tap < taps_; ++tap)
        for (std::int64_t c = 0; c < conv_.in_channels_of_group(); ++c)
          for (int i = 0; i < panel.shape.channels(); ++i)
            *to++ = weight(panel.first_output + i, c, tap);
    weights_ = {};
  }

  void run(const KernelArgs& args, const ConvPart& part) const {
    const std::int64_t rows = rows_together();
    std::vector<CutRange> own(pixels_.size());
    for (std::int64_t image = part.images.begin; image < part.images.end; ++image)
      for (std::int64_t row = part.rows.begin; row < part.rows.end; row += rows) {
        const std::int64_t last = std::min(row + rows, part.rows.end);
        for (std::size_t i = 0; i < pixels_.size(); ++i)
          own[i] = within(pixels_[i], {row * row_pixels_, last * row_pixels_});
        for (const GroupedPanel& panel : panels_)
          if (panel.first_output >= part.channels.begin && panel.first_output < part.channels.end)
            run_panel(args, image, panel, own);
      }
  }

 private:
  void find_panels() {
    const std::int64_t group_in = conv_.in_channels_of_group();
    const std::int64_t group = conv_.out_channels_of_group();
    std::int64_t weights = 0;
    for (std::int64_t channel = 0; channel < conv_.out_channels;) {
      const bool may_weave = group_in == group && channel % group == 0;
      const std::int64_t left = conv_.out_channels - channel;
      const GroupedShape shape =
          grouped_shape(isa_, may_weave ? left : group - channel % group, group, may_weave);
      panels_.push_back(
          {shape, &grouped_blocks(isa_, shape), channel, channel / group * group_in, weights});
      channel += shape.channels();
      weights += shape.channels() * group_in * taps_;
    }
  }

  /// The columns for which no tap reads padding, if blocks can slide along them.
  void find_inner_columns() {
    const Window& w = conv_.window;
    const std::size_t last = w.axes() - 1;
    if (w.kernel[last] != kSlidingTaps || w.dilations[last] != 1 || w.strides[last] > 2) return;
    const CutRange inner{tap_range(w, last, 0).first, tap_range(w, last, kSlidingTaps - 1).last};
    if (inner.end - inner.begin >= kLeastSlidingPixels) inner_ = inner;
  }

  /// Whether pixels, all with the same taps, are those of inner columns.
  bool are_inner(const PanelRows& pixels) const {
    const std::int64_t column = pixels.rows[0] % row_pixels_;
    return column >= inner_.begin && column < inner_.end;
  }

  float weight(std::int64_t output, std::int64_t channel, std::int64_t tap) const {
    const std::int64_t at = (output * conv_.in_channels_of_group() + channel) * taps_ + tap;
    float value = 0;
    // The bytes may be unaligned.
    std::memcpy(&value, weights_.bytes().data() + at * std::int64_t{sizeof(float)}, sizeof value);
    return value;
  }

  std::int64_t rows_together() const {
    const std::int64_t pixels = element_count(conv_.window.output);
    const std::int64_t bytes =
        element_count(conv_.window.input) * conv_.in_channels * std::int64_t{sizeof(float)};
    const std::int64_t rows = pixels / row_pixels_;
    return std::max(rows / ceil_div(bytes, machine().second_level_bytes / kShareOfBand),
                    std::int64_t{1});
  }

  /// The indices of those pixels that lie in a range.
  static CutRange within(const PanelRows& pixels, CutRange range) {
    const auto index = [&](std::int64_t pixel) {
      return std::ranges::lower_bound(pixels.rows, pixel) - pixels.rows.begin();
    };
    return {index(range.begin), index(range.end)};
  }

  /// Of each group of pixels those with the indices `own`.
  void run_panel(const KernelArgs& args, std::int64_t image, const GroupedPanel& panel,
                 std::span<const CutRange> own) const {
    const std::int64_t first_pixel = image * element_count(conv_.window.output);
    GroupedBlock block;
    block.channels = conv_.in_channels_of_group();
    block.input = args.in<float>(0) +
                  image * element_count(conv_.window.input) * conv_.in_channels + panel.first_input;
    block.tap_step = conv_.in_channels;
    block.panel = reinterpret_cast<const float*>(packed_.bytes) + panel.weights;
    if (epilogue_.bias) block.bias = args.in<float>(Epilogue::kBiasInput) + panel.first_output;
    if (epilogue_.residual)
      block.residual = args.in<float>(Epilogue::kResidualInput) + first_pixel * conv_.out_channels +
                       panel.first_output;
    block.residual_pitch = conv_.out_channels;
    block.pitch = args.pitch_of_rows(conv_.out_channels);
    block.to = args.out<float>(0) + first_pixel * block.pitch + panel.first_output;
    block.activation = done_in_blocks_;
    for (std::size_t i = 0; i < pixels_.size(); ++i) run_group(panel, block, pixels_[i], own[i]);
  }

  void run_group(const GroupedPanel& panel, GroupedBlock& block, const PanelRows& pixels,
                 CutRange own) const {
    const GroupedBlocks& blocks = *panel.blocks;
    block.piece_step = std::ssize(pixels.rows);
    block.taps = pixels.taps.data();
    block.tap_count = std::ssize(pixels.taps);
    if (!blocks.slide() || !are_inner(pixels))
      return run_blocks(panel, blocks.of, blocks.most_pixels, block, pixels, own);
    const auto stride = static_cast<std::size_t>(conv_.window.strides.back());
    const std::int64_t columns = inner_.end - inner_.begin;
    for (std::int64_t i = own.begin; i < own.end; i += columns)
      run_blocks(panel, blocks.sliding[stride - 1], kMostSlidingPixels, block, pixels,
                 {i, i + columns});
  }

  /// In blocks that are as even as can be.
  void run_blocks(const GroupedPanel& panel, const RunGroupedBlock* run, std::int64_t most,
                  GroupedBlock& block, const PanelRows& pixels, CutRange own) const {
    const std::int64_t count = own.end - own.begin;
    const std::int64_t pieces = ceil_div(count, most);
    std::int64_t first = own.begin;
    for (std::int64_t i = 0; i < pieces; ++i) {
      const std::int64_t size = count / pieces + (i < count % pieces ? 1 : 0);
      block.pieces = pixels.pieces.data() + first;
      block.places = block.residuals = pixels.rows.data() + first;
      if (activation_.function == nullptr)
        run[size](block);
      else
        run_aside(panel, run[size], block, size);
      first += size;
    }
  }

  /// Activates the sums of a block on their way to the output: all in one call if one pixel is
  /// behind the other.
  void run_aside(const GroupedPanel& panel, RunGroupedBlock run_block, GroupedBlock block,
                 std::int64_t count) const {
    static constexpr std::int32_t places[kMostGroupedPixels] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    alignas(64) float sums[kMostGroupedPixels * kWidestGrouped];
    const std::int64_t width = panel.shape.channels();
    const std::int32_t* pixels = block.places;
    float* const to = block.to;
    const std::int64_t pitch = block.pitch;
    block.to = sums;
    block.places = places;
    block.pitch = width;
    run_block(block);
    const std::int64_t together = pixels[count - 1] - pixels[0] == count - 1 ? count : 1;
    for (std::int64_t i = 0; i < count; i += together)
      activation_.function({.a = sums + i * width,
                            .a_row = width,
                            .to = to + pixels[i] * pitch,
                            .rows = together,
                            .count = width,
                            .alpha = activation_.alpha,
                            .beta = activation_.beta,
                            .to_row = pitch});
  }

  ConvGeometry conv_;
  std::int64_t taps_;
  std::int64_t row_pixels_;
  Epilogue epilogue_;
  BlockActivation done_in_blocks_;
  ActivationStep activation_;
  Tensor weights_;
  std::vector<PanelRows> pixels_;
  const Isa isa_ = isa();
  std::vector<GroupedPanel> panels_;
  CutRange inner_;
  std::mutex making_;
  HeldBytes packed_;
};

bool suits_grouped(const OpCall& call, const ConvGeometry& conv) {
  return call.input(0).element == ElementType::F32 && call.known[1] != nullptr && conv.groups > 1 &&
         conv.out_channels_of_group() % 4 == 0 && can_list_rows(conv.window, conv.in_channels);
}

/// Whether groups fill vectors and are not so large that their weights outgrow the caches.
bool is_worthwhile_grouped(const ConvGeometry& conv) {
  const std::int64_t in = conv.in_channels_of_group();
  const std::int64_t out = conv.out_channels_of_group();
  const bool fills_vectors = out % 8 == 0 || (in == 4 && out == 4);
  return fills_vectors && in >= 4 && in <= kMostChannels && out <= kMostChannels;
}

}  // namespace

std::optional<Way> prepare_conv_grouped(const KernelCall& call) {
  const ConvGeometry conv = conv_geometry(call.op);
  if (!suits_grouped(call.op, conv)) return std::nullopt;
  if (!is_worthwhile_grouped(conv) && !call.asks_for(kGrouped)) return std::nullopt;
  auto pixels = rows_by_taps(conv.window, conv.in_channels);
  if (pixels.empty()) return std::nullopt;
  const auto kernel =
      std::make_shared<Grouped>(conv, read_epilogue(call.op), *call.op.known[1], std::move(pixels));
  Way way =
      conv_way(call.op, conv, kGrouped, std::lcm(kChannelsOfLine, conv.out_channels_of_group()));
  way.make = parts_of(kernel, conv, call.op.outputs[0]);
  return way;
}

}  // namespace braid::cpu
