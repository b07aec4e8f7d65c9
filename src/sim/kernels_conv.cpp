#include "sim/conv_ways.h"

namespace braid::sim {
namespace {

/// What there is to choose from where the library did not say.
const std::vector<ConvChoice>& usual_choices(ConvLibrary library) {
  static const auto parsed = [](const std::vector<std::string_view>& words) {
    std::vector<ConvChoice> choices;
    for (std::string_view word : words) choices.push_back(parse_conv_choice(word));
    return choices;
  };
  static const std::vector<ConvChoice> cudnn7 =
      parsed({"conv_128x128", "conv_128x64", "conv_128x32", "conv_32x32", "winograd_in_steps",
              "winograd_fused"});
  static const std::vector<ConvChoice> recent =
      parsed({"conv_128x128", "conv_128x64", "conv_128x32", "conv_128x128_cut", "conv_128x64_cut",
              "conv_128x32_cut", "conv_128x64_sliced+xwy", "conv_128x32_sliced+xwy", "conv_32x32",
              "winograd_in_steps", "winograd_fused", "tf32+xwy"});
  return library == ConvLibrary::CuDnn7 ? cudnn7 : recent;
}

/// What cuDNN likes best; nothing if it was not asked.
const ConvChoice* answer_for(const GpuSpec& gpu, const KernelOptions& options, const Conv& conv) {
  if (!gpu.conv_answers || options.library != ConvLibrary::Recent) return nullptr;
  const auto found = gpu.conv_answers->convolutions.find(conv_key(conv.geometry));
  if (found == gpu.conv_answers->convolutions.end() || found->second.empty()) return nullptr;
  return &found->second.front();
}

}  // namespace

Ways conv_ways(const GpuSpec& gpu, const KernelOptions& options, const OpCall& call,
               const Traffic& traffic) {
  const Conv conv = read_conv(call, traffic);
  if (conv.groups > 1) return {grouped_kernels(gpu, options, conv)};
  Ways candidates;
  for (const ConvChoice& choice : usual_choices(options.library)) {
    std::vector<Kernel> kernels = conv_way(gpu, options, conv, choice);
    if (!kernels.empty()) candidates.push_back(std::move(kernels));
  }
  candidates = cheapest_first(gpu, std::move(candidates));
  if (const ConvChoice* answer = answer_for(gpu, options, conv))
    if (std::vector<Kernel> kernels = conv_way(gpu, options, conv, *answer); !kernels.empty())
      candidates.insert(candidates.begin(), std::move(kernels));
  return candidates;
}

}  // namespace braid::sim
