#include <algorithm>
#include <limits>

#include "base/checked.h"
#include "ops/conv.h"
#include "ops/kernels_cpu.h"
#include "ops/panel_product_cpu.h"

namespace braid::cpu {
namespace {

/// With fewer channels the pieces of a row are too short.
constexpr std::int64_t kLeastChannels = 16;
/// With less to add up, what comes around the sums takes longer than they; but not longer than a
/// copy of the output.
constexpr std::int64_t kLeastDepth = 64;
constexpr std::int64_t kLeastDepthOfJoined = 16;
constexpr std::int64_t kLeastWeights = 1024;
constexpr std::int64_t kMostPieces = 1 << 20;

bool all_are(const Dims& dims, std::int64_t number) {
  return std::ranges::all_of(dims, [=](std::int64_t d) { return d == number; });
}

/// Its output pixels are its input pixels.
bool is_pointwise(const Window& window) {
  return all_are(window.kernel, 1) && all_are(window.strides, 1) && all_are(window.pads_begin, 0) &&
         all_are(window.pads_end, 0);
}

/// The input along an axis that a tap reads; below zero: padding.
std::int64_t input_at(const Window& window, std::size_t axis, std::int64_t output,
                      std::int64_t tap) {
  const std::int64_t at =
      output * window.strides[axis] - window.pads_begin[axis] + tap * window.dilations[axis];
  return at < window.input[axis] ? at : -1;
}

/// For an output pixel and every tap, where the tap's pixel begins in a channels-last image.
void add_pieces(const Window& window, std::int64_t channels, const Dims& output,
                std::vector<std::int32_t>& pieces) {
  for (std::int64_t z = 0; z < window.kernel[0]; ++z)
    for (std::int64_t y = 0; y < window.kernel[1]; ++y)
      for (std::int64_t x = 0; x < window.kernel[2]; ++x) {
        const std::int64_t plane = input_at(window, 0, output[0], z);
        const std::int64_t row = input_at(window, 1, output[1], y);
        const std::int64_t column = input_at(window, 2, output[2], x);
        const bool padding = plane < 0 || row < 0 || column < 0;
        const std::int64_t pixel = (plane * window.input[1] + row) * window.input[2] + column;
        pieces.push_back(padding ? -1 : static_cast<std::int32_t>(pixel * channels));
      }
}

std::vector<std::int32_t> pieces_of(const Window& spatial, std::int64_t channels) {
  const Window window = with_three_axes(spatial);
  std::vector<std::int32_t> pieces;
  Dims at(3);
  for (at[0] = 0; at[0] < window.output[0]; ++at[0])
    for (at[1] = 0; at[1] < window.output[1]; ++at[1])
      for (at[2] = 0; at[2] < window.output[2]; ++at[2]) add_pieces(window, channels, at, pieces);
  return pieces;
}

/// How much of all that its taps read is padding.
double padding_share(const Window& window) {
  double inside = 1;
  for (std::size_t axis = 0; axis < window.axes(); ++axis) {
    std::int64_t read = 0;
    for (std::int64_t tap = 0; tap < window.kernel[axis]; ++tap) {
      const TapRange range = tap_range(window, axis, tap);
      read += std::max<std::int64_t>(range.last - range.first, 0);
    }
    inside *=
        static_cast<double>(read) / static_cast<double>(window.kernel[axis] * window.output[axis]);
  }
  return 1 - inside;
}

/// Panels hide how long it takes to read the weights, which counts where there are few pixels to
/// use them for, and save the copy of an output that is joined to others. oneDNN does not add
/// padding up, and has a little less to do around the sums; but it is slow with few columns.
bool gains(const ConvGeometry& conv, bool joined) {
  constexpr double pixels_while_a_weight_comes = 27;
  constexpr double terms_while_a_sum_is_copied = 22;
  constexpr std::int64_t few_columns = 32;
  constexpr double much_depth = 512;
  constexpr double slowness = 0.08;
  constexpr double around = 0.03;
  const auto pixels = static_cast<double>(conv.batch * element_count(conv.window.output));
  const auto depth = static_cast<double>(element_count(conv.window.kernel) * conv.in_channels);
  double gain = pixels_while_a_weight_comes / pixels;
  if (joined) gain += terms_while_a_sum_is_copied / depth;
  if (conv.out_channels <= few_columns && depth > much_depth) gain += slowness;
  return gain >= padding_share(conv.window) + around;
}

/// One pixel is different: then the weights are what takes time.
bool is_worthwhile(const ConvGeometry& conv, bool joined) {
  const std::int64_t depth = element_count(conv.window.kernel) * conv.in_channels;
  return element_count(conv.window.output) == 1 ||
         (depth >= (joined ? kLeastDepthOfJoined : kLeastDepth) &&
          checked_mul(depth, conv.out_channels) >= kLeastWeights);
}

/// Whether a kernel can be made, fast or not.
bool suits(const OpCall& call, const ConvGeometry& conv) {
  const std::int64_t image = element_count(conv.window.input) * conv.in_channels;
  return call.input(0).element == ElementType::F32 && call.known[1] != nullptr &&
         conv.groups == 1 && (is_pointwise(conv.window) || conv.in_channels >= kLeastChannels) &&
         image <= std::numeric_limits<std::int32_t>::max() &&
         checked_mul(element_count(conv.window.output), element_count(conv.window.kernel)) <=
             kMostPieces;
}

}  // namespace

std::optional<Prepared> prepare_conv_panels(const KernelCall& call) {
  const ConvGeometry conv = conv_geometry(call.op);
  const Window& window = conv.window;
  const bool pointwise = is_pointwise(window);
  if (!suits(call.op, conv)) return std::nullopt;
  const bool fastest = is_worthwhile(conv, call.joined) && (pointwise || gains(conv, call.joined));
  if (!fastest && call.implementation != kPanels) return std::nullopt;
  const std::int64_t pixels = element_count(window.output);
  PanelProductCall product;
  product.taps = element_count(window.kernel);
  product.channels = conv.in_channels;
  product.columns = conv.out_channels;
  if (pointwise) {
    product.rows = conv.batch * pixels;
    product.row_stride = conv.in_channels;
  } else {
    product.images = conv.batch;
    product.rows = pixels;
    product.image_stride = element_count(window.input) * conv.in_channels;
    product.pieces = pieces_of(window, conv.in_channels);
  }
  product.matrix = *call.op.known[1];
  product.tap_stride = 1;
  product.channel_stride = product.taps;
  product.column_stride = product.channels * product.taps;
  product.epilogue = read_epilogue(call.op);
  product.column_axis = 1;
  if (conv.batch > 1)
    product.row_axis = {0, pixels};
  else if (window.output[0] > 1)
    product.row_axis = {2, pixels / window.output[0]};
  auto prepared = prepare_panel_product(call.op, std::move(product));
  if (!prepared) return std::nullopt;
  const AxisOrder channels_last = channels_last_order(call.op.dims(0).size());
  prepared->input_orders = {channels_last, {}, {}, channels_last};
  prepared->output_orders = {channels_last};
  return prepared;
}

}  // namespace braid::cpu
