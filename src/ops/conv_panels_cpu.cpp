#include "base/checked.h"
#include "device/cpu/kernels/panel_depths.h"
#include "device/cpu/kernels/panel_way.h"
#include "device/cpu/kernels/window_rows.h"
#include "ops/conv.h"
#include "ops/kernels_cpu.h"

namespace braid::cpu {
namespace {

/// Products per sum from which on this kernel pays: with fewer, the work around the sums takes
/// longer than they do. A joined output needs fewer, since the kernel saves a copy of it.
constexpr std::int64_t kLeastDepth = 64;
constexpr std::int64_t kLeastDepthOfJoined = 16;
constexpr std::int64_t kLeastWeights = 1024;

/// Whether the kernel is likely to be the fastest. With a single output pixel it always is: then
/// the weights are what takes time.
bool is_worthwhile(const ConvGeometry& conv, bool joined) {
  const std::int64_t depth = element_count(conv.window.kernel) * conv.in_channels;
  return element_count(conv.window.output) == 1 ||
         (depth >= (joined ? kLeastDepthOfJoined : kLeastDepth) &&
          checked_mul(depth, conv.out_channels) >= kLeastWeights);
}

/// Whether a kernel can be made, fast or not.
bool suits(const OpCall& call, const ConvGeometry& conv) {
  return call.input(0).element == ElementType::F32 && call.known[1] != nullptr &&
         conv.groups == 1 &&
         (is_pointwise(conv.window) || conv.in_channels >= kLeastChannelsOfTaps) &&
         can_list_rows(conv.window, conv.in_channels);
}

/// Nothing if pixels are too many to list, or all that one of them reads is padding.
std::optional<PanelProductCall> product_of(const OpCall& call, const ConvGeometry& conv) {
  const Window& window = conv.window;
  const std::int64_t pixels = element_count(window.output);
  PanelProductCall product;
  product.taps = element_count(window.kernel);
  product.channels = conv.in_channels;
  product.columns = conv.out_channels;
  if (is_pointwise(window)) {
    product.rows = conv.batch * pixels;
    product.row_stride = conv.in_channels;
  } else {
    product.images = conv.batch;
    product.rows = pixels;
    product.image_stride = element_count(window.input) * conv.in_channels;
    product.groups = rows_by_taps(window, conv.in_channels);
    if (product.groups.empty()) return std::nullopt;
  }
  product.matrix = *call.known[1];
  product.tap_stride = 1;
  product.channel_stride = product.taps;
  product.column_stride = product.channels * product.taps;
  product.epilogue = read_epilogue(call);
  product.column_axis = 1;
  if (conv.batch > 1)
    product.row_axis = {0, pixels};
  else if (window.output[0] > 1)
    product.row_axis = {2, pixels / window.output[0]};
  return product;
}

Way of_channels_last(const OpCall& call, Way way) {
  const AxisOrder channels_last = channels_last_order(call.dims(0).size());
  way.input_orders = {channels_last, {}, {}, channels_last};
  way.output_orders = {channels_last};
  return way;
}

}  // namespace

std::optional<Way> prepare_conv_panels(const KernelCall& call) {
  const ConvGeometry conv = conv_geometry(call.op);
  if (!suits(call.op, conv)) return std::nullopt;
  if (!is_worthwhile(conv, call.joined) && !call.asks_for(kPanels)) return std::nullopt;
  const auto product = product_of(call.op, conv);
  if (!product) return std::nullopt;
  return of_channels_last(call.op, prepare_panel_product(call.op, *product));
}

std::optional<Way> prepare_conv_strassen(const KernelCall& call) {
  if (!call.asks_for(kStrassen)) return std::nullopt;
  const ConvGeometry conv = conv_geometry(call.op);
  if (!is_pointwise(conv.window) || !suits(call.op, conv)) return std::nullopt;
  auto way = prepare_strassen_product(call.op, *product_of(call.op, conv));
  if (!way) return std::nullopt;
  return of_channels_last(call.op, std::move(*way));
}

}  // namespace braid::cpu
