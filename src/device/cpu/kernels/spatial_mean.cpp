#include "device/cpu/kernels/spatial_mean.h"

#include <algorithm>

#include "base/checked.h"
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

/// Pixels whose numbers are added up in float, eight at a time by halves; these sums are added up
/// in double.
constexpr std::int64_t kPixelsInFloat = 128;

/// Numbers of pixels, which lie `channels` apart. Nothing that is written overlaps anything else.
struct Pixels {
  const float* first;
  std::int64_t count;
  std::int64_t channels;
};

[[gnu::always_inline]] inline void add_up(const Pixels& pixels, std::int64_t numbers, float* sums) {
  const std::int64_t next = pixels.channels;
  const float* from = pixels.first;
  for (std::int64_t i = 0; i < numbers; ++i) sums[i] = 0;
  std::int64_t pixel = 0;
  for (; pixel + 8 <= pixels.count; pixel += 8, from += 8 * next)
#pragma GCC ivdep
    for (std::int64_t i = 0; i < numbers; ++i) {
      const float* p = from + i;
      const float half = (p[0] + p[next]) + (p[2 * next] + p[3 * next]);
      const float other = (p[4 * next] + p[5 * next]) + (p[6 * next] + p[7 * next]);
      sums[i] += half + other;
    }
  for (; pixel < pixels.count; ++pixel, from += next)
#pragma GCC ivdep
    for (std::int64_t i = 0; i < numbers; ++i) sums[i] += from[i];
}

/// `sums` and `to` have room for the numbers of one pixel.
[[gnu::always_inline]] inline void write_means(const Pixels& pixels, std::int64_t numbers,
                                               double* sums, float* to) {
  if (pixels.count <= kPixelsInFloat) {
    add_up(pixels, numbers, to);
    const auto count = static_cast<float>(pixels.count);
    for (std::int64_t i = 0; i < numbers; ++i) to[i] /= count;
    return;
  }
  for (std::int64_t i = 0; i < numbers; ++i) sums[i] = 0;
  for (std::int64_t pixel = 0; pixel < pixels.count; pixel += kPixelsInFloat) {
    add_up({pixels.first + pixel * pixels.channels, std::min(kPixelsInFloat, pixels.count - pixel),
            pixels.channels},
           numbers, to);
#pragma GCC ivdep
    for (std::int64_t i = 0; i < numbers; ++i) sums[i] += static_cast<double>(to[i]);
  }
  const auto count = static_cast<double>(pixels.count);
#pragma GCC ivdep
  for (std::int64_t i = 0; i < numbers; ++i) to[i] = static_cast<float>(sums[i] / count);
}

}  // namespace

std::optional<Way> prepare_mean(const KernelCall& call) {
  if (call.op.input(0).element != ElementType::F32 || call.op.rank(0) < 3) return std::nullopt;
  const Dims& dims = call.op.dims(0);
  const std::int64_t pixels = span_of(dims, 2, call.op.rank(0));
  Way way;
  way.implementation = "spatial_mean";
  way.input_orders = {channels_last_order(dims.size())};
  way.scratch_bytes = checked_mul(dims[1], sizeof(double));
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
          const float* image = args.in<float>(0) + n * pixels * channels;
          write_means({image + own.begin, pixels, channels}, own.end - own.begin,
                      reinterpret_cast<double*>(args.scratch),
                      args.out<float>(0) + n * channels + own.begin);
        }
      });
    };
  };
  return way;
}

}  // namespace braid::cpu
