#pragma once

#include <string_view>
#include <vector>

#include "sim/conv_answers.h"
#include "sim/traffic.h"

namespace braid::sim {

/// Everything that the kernels of a convolution depend on.
struct Conv {
  double batch;
  double in_channels;   ///< of a group
  double out_channels;  ///< of a group
  double groups;
  double taps;
  double pixels;  ///< of the output, of one image
  ConvGeometry geometry;
  Traffic traffic;

  const Window& window() const { return geometry.window; }
  double depth() const { return in_channels * taps; }
  bool depthwise() const { return groups > 1 && in_channels == 1; }
  /// Whether Winograd's kernels can run it: 3x3 with stride 1.
  bool winograd() const;
  /// Whether it is a matrix product: 1x1 with stride 1.
  bool pointwise() const;
};
Conv read_conv(const OpCall& call, const Traffic& traffic);

std::vector<Kernel> depthwise_kernels(const GpuSpec& gpu, const KernelOptions& options,
                                      const Conv& conv);

/// One group of a grouped convolution as a convolution of its own.
Conv one_group(const Conv& conv);
/// The kernels of one group, run for each of the groups in turn: each stands for as many launches.
std::vector<Kernel> group_by_group(const GpuSpec& gpu, double groups, std::vector<Kernel> kernels);
/// A kernel for grouped convolutions: the arithmetic of all groups is spread over the device, and
/// each group costs the family's fill time.
std::vector<Kernel> grouped_kernels(const GpuSpec& gpu, const KernelOptions& options,
                                    const Conv& conv);

/// The kernels of a way to run an ungrouped convolution; none if it cannot be run so. Ways are the
/// families conv_* and winograd_fused* of the spec files; "winograd_in_steps"; and "tf32", the
/// better of the tensor-core tiles.
std::vector<Kernel> conv_way(const GpuSpec& gpu, const KernelOptions& options, Conv conv,
                             const ConvChoice& choice);

}  // namespace braid::sim
