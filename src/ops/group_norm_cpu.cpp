#include <cmath>

#include "device/cpu/kernels/sum_in_double.h"
#include "device/cpu/machine/isa.h"
#include "ops/call.h"
#include "ops/kernels_cpu.h"
#include "ops/shared/axes.h"
#include "plan/plan.h"

namespace braid::cpu {
namespace {

/// Channels of an image, in groups that are normalised each on its own.
struct GroupNorm {
  std::int64_t channels = 0;
  std::int64_t group_channels = 0;
  std::int64_t pixels = 0;
  double epsilon = 0;
};

/// One group: channel after channel, as they lie.
[[gnu::always_inline]] inline void normalise(const GroupNorm& norm, const float* from,
                                             const float* scale, const float* bias, float* to) {
  const std::int64_t count = norm.group_channels * norm.pixels;
  const auto whole = static_cast<double>(count);
  const double mean =
      sum_of(from, count,
             [](float x) __attribute__((always_inline)) { return static_cast<double>(x); }) /
      whole;
  const double variance = sum_of(from, count,
                                 [=](float x) __attribute__((always_inline)) {
                                   const double difference = static_cast<double>(x) - mean;
                                   return difference * difference;
                                 }) /
                          whole;
  const auto centre = static_cast<float>(mean);
  const auto factor = static_cast<float>(1 / std::sqrt(variance + norm.epsilon));
  for (std::int64_t c = 0; c < norm.group_channels; ++c, from += norm.pixels, to += norm.pixels)
    for (std::int64_t i = 0; i < norm.pixels; ++i)
      to[i] = (from[i] - centre) * factor * scale[c] + bias[c];
}

std::optional<Way> prepare_norm_of_groups(const OpCall& call, std::int64_t groups) {
  if (!all_f32(call)) return std::nullopt;
  const Dims& dims = call.dims(0);
  const GroupNorm norm{dims[1], dims[1] / groups, span_of(dims, 2, call.rank(0)),
                       call.attributes->real("epsilon", 1e-5F)};
  Way way;
  way.implementation = "group_norm";
  if (dims[0] > 1) way.cuts.push_back({.axis = 0});
  if (groups > 1) way.cuts.push_back({.axis = 1, .grain = norm.group_channels});
  way.make = [=, output = call.outputs[0]](const Part& part) -> Kernel {
    CutRange images{0, output.dims[0]};
    CutRange channels{0, norm.channels};
    if (part.count > 1)
      (part.cut.axis == 0 ? images : channels) =
          cut_range(output, part.cut, part.index, part.count);
    return [=](const KernelArgs& args) {
      on_best_isa([&]() __attribute__((always_inline)) {
        for (std::int64_t n = images.begin; n < images.end; ++n)
          for (std::int64_t c = channels.begin; c < channels.end; c += norm.group_channels) {
            const std::int64_t at = (n * norm.channels + c) * norm.pixels;
            normalise(norm, args.in<float>(0) + at, args.in<float>(1) + c, args.in<float>(2) + c,
                      args.out<float>(0) + at);
          }
      });
    };
  };
  return way;
}

}  // namespace

std::optional<Way> prepare_group_norm(const OpCall& call) {
  return prepare_norm_of_groups(call, call.attributes->integer("num_groups", 1));
}

std::optional<Way> prepare_instance_norm(const OpCall& call) {
  return prepare_norm_of_groups(call, call.dims(0)[1]);
}

}  // namespace braid::cpu
