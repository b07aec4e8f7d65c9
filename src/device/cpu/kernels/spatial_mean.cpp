#include "device/cpu/kernels/spatial_mean.h"

#include "device/cpu/kernels/part.h"
#include "device/cpu/machine/isa.h"
#include "ops/shared/axes.h"

namespace braid::cpu {
namespace {

/// Channels that lie in one line of the cache.
constexpr std::int64_t kMeanGrain = 16;

/// What a part has of an axis: its range if the cut goes along it, else all.
CutRange part_range(const TensorType& output, const Part& part, int axis) {
  if (part.count > 1 && part.cut.axis == axis)
    return cut_range(output, part.cut, part.index, part.count);
  return {0, output.dims[static_cast<std::size_t>(axis)]};
}

}  // namespace

std::optional<Way> prepare_mean(const KernelCall& call) {
  if (call.op.input(0).element != ElementType::F32 || call.op.rank(0) < 3) return std::nullopt;
  const Dims& dims = call.op.dims(0);
  const std::int64_t pixels = span_of(dims, 2, call.op.rank(0));
  Way way;
  way.implementation = "spatial_mean";
  way.input_orders = {channels_last_order(dims.size())};
  const TensorType output = call.op.outputs[0];
  if (dims[0] > 1) way.cuts.push_back({.axis = 0});
  if (dims[1] > kMeanGrain) way.cuts.push_back({.axis = 1, .grain = kMeanGrain});
  way.make = [=](const Part& part) -> Kernel {
    const CutRange images = part_range(output, part, 0);
    const CutRange own = part_range(output, part, 1);
    const std::int64_t channels = output.dims[1];
    return [=](const KernelArgs& args) {
      on_best_isa([&]() __attribute__((always_inline)) {
        for (std::int64_t n = images.begin; n < images.end; ++n) {
          const float* __restrict from = args.in<float>(0) + n * pixels * channels;
          float* __restrict to = args.out<float>(0) + n * channels;
          for (std::int64_t i = own.begin; i < own.end; ++i) to[i] = 0;
          std::int64_t p = 0;
          for (; p + 4 <= pixels; p += 4, from += 4 * channels)
            for (std::int64_t i = own.begin; i < own.end; ++i) {
              const float* pixel = from + i;
              to[i] =
                  to[i] + pixel[0] + pixel[channels] + pixel[2 * channels] + pixel[3 * channels];
            }
          for (; p < pixels; ++p, from += channels)
            for (std::int64_t i = own.begin; i < own.end; ++i) to[i] += from[i];
          for (std::int64_t i = own.begin; i < own.end; ++i) to[i] /= static_cast<float>(pixels);
        }
      });
    };
  };
  return way;
}

}  // namespace braid::cpu
