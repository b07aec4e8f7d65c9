#include "sim/conv_ways.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/choice.h"

namespace braid::sim {
namespace {

bool all_are(const Dims& dims, std::int64_t value) {
  return std::all_of(dims.begin(), dims.end(), [&](auto dim) { return dim == value; });
}

std::int64_t count(double blocks) {
  return static_cast<std::int64_t>(std::clamp(std::ceil(blocks), 1.0, 2147483647.0));
}

/// The least depth of a slice of a cut convolution.
constexpr double kLeastConvSlice = 256;

struct ConvTile {
  std::string_view family;
  int pixels;
  int channels;
  Pipe pipe;
};

constexpr std::array<ConvTile, 6> kConvTiles = {{{"conv_128x128", 128, 128, Pipe::Fp32},
                                                 {"conv_128x64", 128, 64, Pipe::Fp32},
                                                 {"conv_128x32", 128, 32, Pipe::Fp32},
                                                 {"conv_128x64_sliced", 128, 64, Pipe::Fp32},
                                                 {"conv_128x32_sliced", 128, 32, Pipe::Fp32},
                                                 {"conv_32x32", 32, 32, Pipe::Fp32}}};
constexpr std::array<ConvTile, 2> kTensorTiles = {
    {{"tf32_128x128", 128, 128, Pipe::Tensor}, {"tf32_64x64", 64, 64, Pipe::Tensor}}};
constexpr ConvTile kGrouped = {"conv_grouped", 32, 32, Pipe::Fp32};

/// The images, rows and columns of pixels that a block of Winograd in one kernel makes.
struct FusedTile {
  std::string_view family;
  int images;
  int rows;
  int columns;
};
constexpr std::array<FusedTile, 2> kFusedTiles = {
    {{"winograd_fused", 1, 16, 8}, {"winograd_fused_442", 4, 4, 8}}};
constexpr double kFusedChannels = 32;

/// A matrix product [pixels, depth] x [depth, channels] whose left side is gathered on the way.
Kernel implicit(const GpuSpec& gpu, const KernelOptions& options, const ConvTile& tile,
                const Conv& conv) {
  Kernel kernel =
      make_kernel(gpu, tile.family, tile.pipe,
                  count(conv.groups * std::ceil(conv.batch * conv.pixels / tile.pixels) *
                        std::ceil(conv.out_channels / tile.channels)));
  kernel.flops = 2.0 * tile.pixels * tile.channels * conv.depth();
  kernel.covered = kernel.covered && conv.winograd();  // only such convolutions were measured
  set_bytes(gpu, options, conv.traffic, kernel);
  return kernel;
}

/// Winograd F(4x4, 3x3): transform input and filter, 36 matrix products, transform the result.
std::vector<Kernel> winograd_in_steps(const GpuSpec& gpu, const KernelOptions& options,
                                      const Conv& conv) {
  const double tiles = conv.batch * std::ceil(static_cast<double>(conv.window().output[0]) / 4) *
                       std::ceil(static_cast<double>(conv.window().output[1]) / 4);
  const double in = tiles * conv.in_channels;
  const double out = tiles * conv.out_channels;
  const double filters = conv.in_channels * conv.out_channels;
  const double image = conv.batch * conv.in_channels * product_of(conv.window().input);
  std::vector<Kernel> kernels = {
      memory_kernel(gpu, options, "winograd_input", in, 1, {4 * (image + 36 * in), 0}),
      memory_kernel(gpu, options, "winograd_filter", filters, 1,
                    {4 * 36 * filters, 4 * 9 * filters})};
  kernels[0].scratch_bytes = static_cast<std::int64_t>(4 * 36 * (in + out + filters));
  const Ways products =
      step_product_ways(gpu, options, {36, tiles, conv.out_channels, conv.in_channels},
                        {4 * 36 * (in + out + filters), 0});
  kernels.insert(kernels.end(), products.front().begin(), products.front().end());
  kernels.push_back(
      memory_kernel(gpu, options, "winograd_output", out, 1,
                    {4 * (36 * out + conv.batch * conv.out_channels * conv.pixels), 0}));
  return kernels;
}

/// Winograd F(2x2, 3x3) in one kernel: blocks of 128 pixels and 32 channels.
std::vector<Kernel> winograd_fused(const GpuSpec& gpu, const KernelOptions& options,
                                   const FusedTile& tile, const Conv& conv) {
  const double blocks = std::ceil(conv.batch / tile.images) *
                        std::ceil(conv.out_channels / kFusedChannels) *
                        std::ceil(static_cast<double>(conv.window().output[0]) / tile.rows) *
                        std::ceil(static_cast<double>(conv.window().output[1]) / tile.columns);
  Kernel kernel = make_kernel(gpu, tile.family, Pipe::Fp32, count(blocks));
  kernel.flops = 2.0 * 16 * 32 * kFusedChannels * conv.in_channels;
  const double filters = conv.in_channels * conv.out_channels;
  set_bytes(gpu, options, {conv.traffic.activations + 4 * 16 * filters, 0}, kernel);
  Kernel transform = memory_kernel(gpu, options, "winograd_tiles", filters, 1,
                                   {4 * 16 * filters, 4 * 9 * filters});
  transform.scratch_bytes = static_cast<std::int64_t>(4 * 16 * filters);
  return {transform, kernel};
}

/// The depth cut in as many slices as leave no SM idle, as cuDNN does it on tensor cores and
/// nowhere else; nothing if that does not pay.
std::vector<Kernel> split(const GpuSpec& gpu, const KernelOptions& options, Kernel kernel,
                          const Conv& conv) {
  const double idle = std::floor(static_cast<double>(gpu.sms) / static_cast<double>(kernel.blocks));
  const double slices = std::min(idle, std::floor(conv.depth() / kLeastConvSlice));
  if (slices < 2) return {};
  const double outputs = conv.batch * conv.out_channels * conv.pixels;
  kernel.blocks *= static_cast<std::int64_t>(slices);
  kernel.flops /= slices;
  kernel.dram_bytes /= slices;
  kernel.l2_bytes /= slices;
  kernel.scratch_bytes = static_cast<std::int64_t>(4 * outputs * slices);
  return {kernel, memory_kernel(gpu, options, "split_k_reduce", outputs, 1,
                                {4 * outputs * (slices + 1), 0})};
}

/// The kernels on tensor cores, whole or cut, whichever is faster. cuDNN's own numbers for these
/// tiles and slices say nothing to us.
std::vector<Kernel> on_tensor_cores(const GpuSpec& gpu, const KernelOptions& options,
                                    const Conv& conv) {
  if (options.precision != Precision::Tf32 || gpu.tensor_flops_per_us <= 0) return {};
  std::vector<Candidate> candidates;
  for (const ConvTile& tile : kTensorTiles) {
    candidates.push_back({{implicit(gpu, options, tile, conv)}});
    std::vector<Kernel> cut = split(gpu, options, candidates.back().kernels[0], conv);
    if (!cut.empty()) candidates.push_back({std::move(cut)});
  }
  return std::move(chosen_first(gpu, std::move(candidates)).front());
}

/// cuDNN's larger tiles read where their pixels are from a table, which a small kernel makes.
std::vector<Kernel> with_offsets(const GpuSpec& gpu, const KernelOptions& options,
                                 const ConvTile& tile, Kernel kernel) {
  if (tile.pixels < 128) return {std::move(kernel)};
  return {memory_kernel(gpu, options, "conv_offsets", 1, 1, {}), std::move(kernel)};
}

/// The kernels of a way, without changes of layout.
std::vector<Kernel> plain_way(const GpuSpec& gpu, const KernelOptions& options, const Conv& conv,
                              std::string_view way) {
  if (way == "tf32") return on_tensor_cores(gpu, options, conv);
  if (way == "winograd_in_steps" && conv.winograd()) return winograd_in_steps(gpu, options, conv);
  for (const FusedTile& tile : kFusedTiles)
    if (way == tile.family && conv.winograd() && gpu.families.contains(way))
      return winograd_fused(gpu, options, tile, conv);
  for (const ConvTile& tile : kConvTiles)
    if (way == tile.family)
      return with_offsets(gpu, options, tile, implicit(gpu, options, tile, conv));
  return {};
}

/// A copy in another layout; `bytes` are those of the tensor.
Kernel layout_change(const GpuSpec& gpu, const KernelOptions& options, double bytes, bool weights) {
  const Traffic traffic = weights ? Traffic{bytes, bytes} : Traffic{2 * bytes, 0};
  Kernel kernel = memory_kernel(gpu, options, "layout_change", bytes / 4, 4, traffic);
  kernel.scratch_bytes = static_cast<std::int64_t>(bytes);
  return kernel;
}

}  // namespace

bool Conv::winograd() const {
  return groups == 1 && window().axes() == 2 && all_are(window().kernel, 3) &&
         all_are(window().strides, 1) && all_are(window().dilations, 1);
}

bool Conv::pointwise() const {
  return groups == 1 && all_are(window().kernel, 1) && all_are(window().strides, 1) &&
         window().input == window().output;
}

Conv read_conv(const OpCall& call, const Traffic& traffic) {
  const ConvGeometry geometry = conv_geometry(call);
  return {static_cast<double>(geometry.batch),
          static_cast<double>(geometry.in_channels_of_group()),
          static_cast<double>(geometry.out_channels_of_group()),
          static_cast<double>(geometry.groups),
          product_of(geometry.window.kernel),
          product_of(geometry.window.output),
          geometry,
          traffic};
}

std::vector<Kernel> depthwise_kernels(const GpuSpec& gpu, const KernelOptions& options,
                                      const Conv& conv) {
  const double outputs = conv.batch * conv.groups * conv.out_channels * conv.pixels;
  Kernel kernel = make_kernel(gpu, "conv_depthwise", Pipe::Fp32, 1);
  kernel.blocks = count(outputs / kernel.threads);
  kernel.flops = 2.0 * conv.taps * kernel.threads;
  set_bytes(gpu, options, conv.traffic, kernel);
  return {kernel};
}

Conv one_group(const Conv& conv) {
  Conv group = conv;
  group.groups = 1;
  group.geometry.groups = 1;
  group.geometry.in_channels = static_cast<std::int64_t>(conv.in_channels);
  group.geometry.out_channels = static_cast<std::int64_t>(conv.out_channels);
  group.traffic = {conv.traffic.activations / conv.groups, conv.traffic.weights / conv.groups};
  return group;
}

std::vector<Kernel> group_by_group(const GpuSpec& gpu, double groups, std::vector<Kernel> kernels) {
  for (Kernel& kernel : kernels) {
    kernel.flops *= groups;
    kernel.dram_bytes *= groups;
    kernel.l2_bytes *= groups;
    kernel.fill_us = groups * (kernel.fill_us + gpu.costs.edge_us) - gpu.costs.edge_us;
    kernel.refill_us *= groups;
    kernel.covered = false;
  }
  return kernels;
}

std::vector<Kernel> grouped_kernels(const GpuSpec& gpu, const KernelOptions& options,
                                    const Conv& conv) {
  Kernel kernel = implicit(gpu, options, kGrouped, conv);
  kernel.fill_us *= conv.groups;
  return {std::move(kernel)};
}

std::vector<Kernel> conv_way(const GpuSpec& gpu, const KernelOptions& options, Conv conv,
                             const ConvChoice& choice) {
  std::vector<Kernel> before;
  if (choice.changes_input)
    before.push_back(layout_change(
        gpu, options, 4 * conv.batch * conv.in_channels * product_of(conv.window().input), false));
  if (choice.changes_weights) {
    before.push_back(layout_change(gpu, options, 4 * conv.depth() * conv.out_channels, true));
    conv.traffic = {conv.traffic.activations + conv.traffic.weights, 0};
  }
  std::vector<Kernel> kernels = plain_way(gpu, options, conv, choice.kernels);
  if (kernels.empty()) return {};
  kernels.insert(kernels.begin(), before.begin(), before.end());
  if (choice.changes_output)
    kernels.push_back(
        layout_change(gpu, options, 4 * conv.batch * conv.out_channels * conv.pixels, false));
  return kernels;
}

}  // namespace braid::sim
