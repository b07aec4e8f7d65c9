#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <numeric>

#include "base/checked.h"
#include "device/cpu/kernels/activation_step.h"
#include "device/cpu/kernels/grouped_block.h"
#include "device/cpu/kernels/window_rows.h"
#include "device/cpu/machine/large_pages.h"
#include "ops/conv.h"
#include "ops/conv_parts_cpu.h"
#include "ops/kernels_cpu.h"

namespace braid::cpu {
namespace {

/// Input that goes through all panels together stays in a core's second-level cache.
constexpr std::int64_t kBandBytes = 1 << 18;
/// Parts by channels begin at a line of the cache.
constexpr std::int64_t kChannelsOfLine = 16;

/// Output channels that lie in registers together.
struct GroupedPanel {
  GroupedShape shape;
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
        weights_(std::move(weights)),
        pixels_(std::move(pixels)) {
    if (!epilogue.is_relu()) activation_ = activation_step(epilogue);
    find_panels();
  }

  /// Packs the weights at the first call.
  void make() {
    const std::scoped_lock lock(making_);
    if (packed_.bytes != nullptr) return;
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
    for (std::int64_t image = part.images.begin; image < part.images.end; ++image)
      for (std::int64_t row = part.rows.begin; row < part.rows.end; row += rows) {
        const std::int64_t last = std::min(row + rows, part.rows.end);
        for (const GroupedPanel& panel : panels_)
          if (panel.first_output >= part.channels.begin && panel.first_output < part.channels.end)
            run_panel({args, image, panel}, {row * row_pixels_, last * row_pixels_});
      }
  }

 private:
  struct Place {
    const KernelArgs& args;
    std::int64_t image;
    const GroupedPanel& panel;
  };

  void find_panels() {
    const std::int64_t group_in = conv_.in_channels_of_group();
    const std::int64_t group = conv_.out_channels_of_group();
    std::int64_t weights = 0;
    for (std::int64_t channel = 0; channel < conv_.out_channels;) {
      const bool may_weave = group_in == group && channel % group == 0;
      const std::int64_t left = conv_.out_channels - channel;
      const GroupedShape shape =
          grouped_shape(isa_, may_weave ? left : group - channel % group, group, may_weave);
      panels_.push_back({shape, channel, channel / group * group_in, weights});
      channel += shape.channels();
      weights += shape.channels() * group_in * taps_;
    }
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
    return std::max(rows / ceil_div(bytes, kBandBytes), std::int64_t{1});
  }

  void run_panel(const Place& at, CutRange range) const {
    const GroupedPanel& panel = at.panel;
    const GroupedBlocks& blocks = grouped_blocks(isa_, panel.shape);
    GroupedBlock block;
    block.channels = conv_.in_channels_of_group();
    block.input = at.args.in<float>(0) +
                  at.image * element_count(conv_.window.input) * conv_.in_channels +
                  panel.first_input;
    block.panel = reinterpret_cast<const float*>(packed_.bytes) + panel.weights;
    if (epilogue_.bias) block.bias = at.args.in<float>(Epilogue::kBiasInput) + panel.first_output;
    block.relu = epilogue_.is_relu();
    for (const PanelRows& pixels : pixels_) {
      const auto index = [&](std::int64_t pixel) {
        return std::ranges::lower_bound(pixels.rows, pixel) - pixels.rows.begin();
      };
      std::int64_t first = index(range.begin);
      const std::int64_t count = index(range.end) - first;
      const std::int64_t pieces = ceil_div(count, blocks.most_pixels);
      block.piece_step = std::ssize(pixels.rows);
      block.taps = pixels.taps.data();
      block.tap_count = std::ssize(pixels.taps);
      for (std::int64_t i = 0; i < pieces; ++i) {
        const std::int64_t own = count / pieces + (i < count % pieces ? 1 : 0);
        block.pieces = pixels.pieces.data() + first;
        run_pixels(at, blocks.of[own - 1], block,
                   {pixels.rows.data() + first, pixels.rows.data() + first + own});
        first += own;
      }
    }
  }

  void run_pixels(const Place& at, RunGroupedBlock run_block, GroupedBlock block,
                  std::span<const std::int32_t> pixels) const {
    const std::int64_t first_pixel = at.image * element_count(conv_.window.output);
    const std::int64_t pitch = at.args.pitch_of_rows(conv_.out_channels);
    const std::int64_t width = at.panel.shape.channels();
    float* const output = at.args.out<float>(0) + first_pixel * pitch + at.panel.first_output;
    float* results[kMostGroupedPixels];
    const float* residuals[kMostGroupedPixels];
    for (std::size_t i = 0; i < pixels.size(); ++i) results[i] = output + pixels[i] * pitch;
    if (epilogue_.residual) {
      const float* residual = at.args.in<float>(Epilogue::kResidualInput) +
                              first_pixel * conv_.out_channels + at.panel.first_output;
      for (std::size_t i = 0; i < pixels.size(); ++i)
        residuals[i] = residual + pixels[i] * conv_.out_channels;
      block.residual = residuals;
    }
    block.to = results;
    if (activation_.function == nullptr) return run_block(block);
    alignas(64) float sums[kMostGroupedPixels * kWidestGrouped];
    float* aside[kMostGroupedPixels];
    for (std::size_t i = 0; i < pixels.size(); ++i)
      aside[i] = sums + static_cast<std::int64_t>(i) * width;
    block.to = aside;
    run_block(block);
    activate(aside, results, pixels, width, pitch);
  }

  /// All pixels in one call if one is behind the other.
  void activate(float* const* sums, float* const* results, std::span<const std::int32_t> pixels,
                std::int64_t width, std::int64_t pitch) const {
    const std::int64_t count = std::ssize(pixels);
    const std::int64_t together = pixels.back() - pixels.front() == count - 1 ? count : 1;
    for (std::int64_t i = 0; i < count; i += together)
      activation_.function({.a = sums[i],
                            .a_row = width,
                            .to = results[i],
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
  ActivationStep activation_;
  Tensor weights_;
  std::vector<PanelRows> pixels_;
  const Isa isa_ = isa();
  std::vector<GroupedPanel> panels_;
  std::mutex making_;
  HeldBytes packed_;
};

bool suits_grouped(const OpCall& call, const ConvGeometry& conv) {
  return call.input(0).element == ElementType::F32 && call.known[1] != nullptr && conv.groups > 1 &&
         conv.out_channels_of_group() % 4 == 0 && can_list_rows(conv.window, conv.in_channels);
}

}  // namespace

std::optional<Way> prepare_conv_grouped(const KernelCall& call) {
  const ConvGeometry conv = conv_geometry(call.op);
  if (!suits_grouped(call.op, conv)) return std::nullopt;
  auto pixels = rows_by_taps(conv.window, conv.in_channels);
  if (pixels.empty()) return std::nullopt;
  const auto kernel =
      std::make_shared<Grouped>(conv, read_epilogue(call.op), *call.op.known[1], std::move(pixels));
  Way way =
      conv_way(call.op, conv, "grouped", std::lcm(kChannelsOfLine, conv.out_channels_of_group()));
  way.make = [=, output = call.op.outputs[0]](const Part& part) -> Kernel {
    kernel->make();
    return [=, own = conv_part(conv, output, part)](const KernelArgs& args) {
      kernel->run(args, own);
    };
  };
  return way;
}

}  // namespace braid::cpu
