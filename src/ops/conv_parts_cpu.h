#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "device/cpu/kernels/kernel.h"
#include "ops/conv.h"
#include "plan/plan.h"

namespace braid::cpu {

/// The names of implementations.
inline constexpr std::string_view kDepthwise = "depthwise";
inline constexpr std::string_view kGrouped = "grouped";
inline constexpr std::string_view kImage = "image";
/// Of a SeparableConv: tile after tile through both convolutions, or one after the other.
inline constexpr std::string_view kSeparable = "separable";
inline constexpr std::string_view kApart = "apart";

/// What a part of a convolution writes.
struct ConvPart {
  CutRange images;
  CutRange rows;  ///< of pixels: all axes but the last, counted through
  CutRange channels;
};
ConvPart conv_part(const ConvGeometry& conv, const TensorType& output, const Part& part);

/// A way to run a convolution of channels-last values by a kernel of our own, which packs its
/// weights and adds every element up in one order, whatever part it belongs to; it wants its
/// `make`. Cuts by channels have that grain.
Way conv_way(const OpCall& call, const ConvGeometry& conv, std::string_view implementation,
             std::int64_t grain);

/// Way::make of a convolution whose `kernel` has make() and run(KernelArgs, ConvPart).
template <class Whole>
std::function<Kernel(const Part&)> parts_of(const std::shared_ptr<Whole>& kernel,
                                            const ConvGeometry& conv, const TensorType& output) {
  return [=](const Part& part) -> Kernel {
    kernel->make();
    return [=, own = conv_part(conv, output, part)](const KernelArgs& args) {
      kernel->run(args, own);
    };
  };
}

/// Whether no weight is NaN or an infinity: of those, a product with padding would not be zero.
bool are_finite(const Tensor& weights);

}  // namespace braid::cpu
