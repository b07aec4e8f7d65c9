#include <algorithm>

#include "device/cpu/kernels/winograd.h"
#include "ops/conv_parts_cpu.h"
#include "ops/kernels_cpu.h"

namespace braid::cpu {
namespace {

/// Groups of fewer channels than a line of the cache has are the grouped kernel's.
constexpr std::int64_t kLeastChannelsOfGroup = 16;

bool is_plain_3x3(const ConvGeometry& conv) {
  const Window& window = conv.window;
  const bool few_channels =
      std::min(conv.in_channels_of_group(), conv.out_channels_of_group()) < kLeastChannelsOfGroup;
  return (conv.groups == 1 || !few_channels) && window.kernel == Dims{3, 3} &&
         window.strides == Dims{1, 1} && window.dilations == Dims{1, 1};
}

/// Infinite weights are multiplied as exactly here, but slowly. To look for them in weights that
/// are only promised would mean to make these.
bool may_be_fast(const Tensor& weights) { return weights.is_promised() || are_finite(weights); }

std::optional<Way> prepare_if_asked(const KernelCall& call, std::string_view implementation,
                                    std::int64_t outputs) {
  if (!call.asks_for(implementation)) return std::nullopt;
  const ConvGeometry conv = conv_geometry(call.op);
  if (!is_plain_3x3(conv) || call.op.input(0).element != ElementType::F32 ||
      call.op.known[1] == nullptr || !may_be_fast(*call.op.known[1]))
    return std::nullopt;
  return prepare_winograd(call.op, conv, outputs);
}

}  // namespace

std::optional<Way> prepare_conv_winograd4(const KernelCall& call) {
  return prepare_if_asked(call, kWinograd4, 4);
}

std::optional<Way> prepare_conv_winograd2(const KernelCall& call) {
  return prepare_if_asked(call, kWinograd2, 2);
}

}  // namespace braid::cpu
