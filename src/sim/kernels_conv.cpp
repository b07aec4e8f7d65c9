#include <array>
#include <cmath>

#include "sim/choice.h"
#include "sim/conv_ways.h"

namespace braid::sim {
namespace {

constexpr std::string_view kKind = "conv";

/// What there is to choose from without tensor cores.
constexpr std::array<std::string_view, 7> kWays = {
    "conv_128x128",      "conv_128x64",    "conv_128x32",       "conv_32x32",
    "winograd_in_steps", "winograd_fused", "winograd_fused_442"};

/// Measured rows of every GPU show these of cuDNN's heuristics: Winograd in steps is hardly ever
/// taken for fewer images, and tiles of four images only where they are whole.
constexpr double kLeastBatchInSteps = 10;
bool is_considered(std::string_view way, const Conv& conv) {
  if (way == "winograd_in_steps") return conv.batch >= kLeastBatchInSteps;
  if (way == "winograd_fused_442") return std::fmod(conv.batch, 4) == 0;
  return true;
}

/// cuDNN 7 measures its kernels and takes the fastest of those that it has.
std::optional<double> weight(const GpuSpec& gpu, const KernelOptions& options, std::string_view way,
                             std::uint64_t shape) {
  if (options.library == ConvLibrary::Recent) return weight_of(gpu, options, kKind, way, shape);
  if (way == "winograd_fused_442") return std::nullopt;
  return 1;
}

Ways convolution_ways(const GpuSpec& gpu, const KernelOptions& options, const Conv& conv,
                      std::uint64_t shape) {
  std::vector<Candidate> candidates;
  for (const std::string_view way : kWays) {
    const bool by_rules = options.library == ConvLibrary::Recent && !options.measured;
    if (by_rules && !is_considered(way, conv)) continue;
    const auto weight = sim::weight(gpu, options, way, shape);
    if (!weight) continue;
    std::vector<Kernel> kernels = conv_way(gpu, options, conv, {.kernels = std::string(way)});
    if (!kernels.empty()) candidates.push_back({std::move(kernels), *weight});
  }
  return with_regret(gpu, options, kKind, chosen_first(gpu, std::move(candidates)));
}

/// Groups run in the kernel that is made for them, or one after another, each as the convolution
/// that it is, whichever is faster.
Ways grouped_ways(const GpuSpec& gpu, const KernelOptions& options, const Conv& conv) {
  const Conv group = one_group(conv);
  Ways ways = convolution_ways(gpu, options, group, shape_number(conv_key(group.geometry)));
  std::vector<Kernel> in_turn = group_by_group(gpu, conv.groups, std::move(ways.front()));
  std::vector<Kernel> together = grouped_kernels(gpu, options, conv);
  const bool faster = row_us(gpu, together) < row_us(gpu, in_turn);
  return {faster ? std::move(together) : std::move(in_turn)};
}

/// A 1x1 convolution as the matrix product that it is.
Ways pointwise_ways(const GpuSpec& gpu, const KernelOptions& options, const Conv& conv) {
  return product_ways(gpu, options,
                      {1, conv.batch * conv.pixels, conv.out_channels, conv.in_channels},
                      conv.traffic);
}

/// Whoever measures tries both.
Ways dense_ways(const GpuSpec& gpu, const KernelOptions& options, const Conv& conv,
                std::uint64_t shape) {
  if (!conv.pointwise() || !(options.pointwise_products || options.measured))
    return convolution_ways(gpu, options, conv, shape);
  Ways products = pointwise_ways(gpu, options, conv);
  if (options.pointwise_products) return products;
  Ways ways = convolution_ways(gpu, options, conv, shape);
  const bool faster = row_us(gpu, products.front()) < row_us(gpu, ways.front());
  ways.insert(faster ? ways.begin() : ways.end(), std::move(products.front()));
  return ways;
}

/// Tensor cores, which want channels last, as one more way: the first if the library thinks so.
Ways with_tensor_cores(const GpuSpec& gpu, const KernelOptions& options, const Conv& conv,
                       std::uint64_t shape, Ways ways) {
  const auto weight = weight_of(gpu, options, kKind, "tf32", shape);
  if (!weight) return ways;
  std::vector<Kernel> kernels = conv_way(gpu, options, conv, parse_conv_choice("tf32+xwy"));
  if (kernels.empty()) return ways;
  const bool first = *weight * row_us(gpu, kernels) < row_us(gpu, ways.front());
  ways.insert(first ? ways.begin() : ways.end(), std::move(kernels));
  return ways;
}

/// What cuDNN likes best; nothing if it was not asked.
const ConvChoice* answer_for(const GpuSpec& gpu, const Conv& conv) {
  if (!gpu.conv_answers) return nullptr;
  const auto found = gpu.conv_answers->convolutions.find(conv_key(conv.geometry));
  if (found == gpu.conv_answers->convolutions.end() || found->second.empty()) return nullptr;
  return &found->second.front();
}

}  // namespace

Ways conv_ways(const GpuSpec& gpu, const KernelOptions& options, const OpCall& call,
               const Traffic& traffic) {
  const Conv conv = read_conv(call, traffic);
  if (conv.depthwise()) return {depthwise_kernels(gpu, options, conv)};
  if (conv.groups > 1) return grouped_ways(gpu, options, conv);
  const std::uint64_t shape = shape_number(conv_key(conv.geometry));
  Ways ways = dense_ways(gpu, options, conv, shape);
  ways = with_tensor_cores(gpu, options, conv, shape, std::move(ways));
  const ConvChoice* answer = options.answers ? answer_for(gpu, conv) : nullptr;
  if (answer != nullptr)
    if (std::vector<Kernel> kernels = conv_way(gpu, options, conv, *answer); !kernels.empty())
      ways.insert(ways.begin(), std::move(kernels));
  return ways;
}

}  // namespace braid::sim
