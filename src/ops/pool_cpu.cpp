#include <algorithm>
#include <array>
#include <limits>
#include <memory>

#include "device/cpu/isa.h"
#include "device/cpu/part.h"
#include "ops/axes.h"
#include "ops/kernels_cpu.h"
#include "ops/pool.h"

namespace braid::cpu {
namespace {

/// best[i] = the largest of itself and the taps; NaN wins.
struct Largest {
  static constexpr float start = -std::numeric_limits<float>::infinity();
  [[gnu::always_inline]] static float merge(float best, float x) {
    return ((x > best) | (x != x)) ? x : best;
  }
};

struct Total {
  static constexpr float start = 0;
  [[gnu::always_inline]] static float merge(float sum, float x) { return sum + x; }
};

/// Merges the taps into `to`, a few at a time so that `to` is seldom read and written.
template <class Merge>
[[gnu::always_inline]] inline void merge_taps(const std::vector<const float*>& taps,
                                              float* __restrict to, std::int64_t channels) {
  std::size_t t = 0;
  for (; t + 3 <= taps.size(); t += 3) {
    const float* __restrict a = taps[t];
    const float* __restrict b = taps[t + 1];
    const float* __restrict c = taps[t + 2];
    if (t == 0)
      for (std::int64_t i = 0; i < channels; ++i)
        to[i] = Merge::merge(Merge::merge(Merge::merge(Merge::start, a[i]), b[i]), c[i]);
    else
      for (std::int64_t i = 0; i < channels; ++i)
        to[i] = Merge::merge(Merge::merge(Merge::merge(to[i], a[i]), b[i]), c[i]);
  }
  for (; t < taps.size(); ++t) {
    const float* __restrict a = taps[t];
    if (t == 0)
      for (std::int64_t i = 0; i < channels; ++i) to[i] = Merge::merge(Merge::start, a[i]);
    else
      for (std::int64_t i = 0; i < channels; ++i) to[i] = Merge::merge(to[i], a[i]);
  }
}

/// The inputs [begin, end) of an axis that an output's taps start from, and the taps that count.
struct Taps {
  std::int64_t first = 0;  ///< the first tap that reads no padding
  std::int64_t last = 0;   ///< behind the last
  std::int64_t origin = 0;
  std::int64_t counted = 0;  ///< in an average
};

Taps taps_at(const PoolGeometry& pool, std::size_t axis, std::int64_t output) {
  const Window& w = pool.window;
  Taps taps;
  taps.origin = output * w.strides[axis] - w.pads_begin[axis];
  taps.first = w.kernel[axis];
  for (std::int64_t k = 0; k < w.kernel[axis]; ++k) {
    const std::int64_t at = taps.origin + k * w.dilations[axis];
    const bool inside = at >= 0 && at < w.input[axis];
    if (inside) taps.first = std::min(taps.first, k);
    if (inside) taps.last = k + 1;
    const bool counts = at >= -w.pads_begin[axis] && at < w.input[axis] + w.pads_end[axis];
    taps.counted += inside || (pool.count_include_pad && counts) ? 1 : 0;
  }
  return taps;
}

/// On channels-last values: each output pixel merges whole pixels of the input.
class Pool {
 public:
  explicit Pool(const OpCall& call) : pool_(pool_geometry(call)), output_(call.outputs[0]) {
    pool_.window = with_three_axes(pool_.window);
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (std::int64_t o = 0; o < pool_.window.output[axis]; ++o)
        taps_[axis].push_back(taps_at(pool_, axis, o));
  }

  std::vector<Cut> cuts() const {
    if (pool_.batch > 1) return {{.axis = 0}};
    return {{.axis = 2}};
  }

  template <class Merge>
  void run(const KernelArgs& args, const Part& part, bool average) const {
    std::array<std::int64_t, 2> from = {0, 0};
    std::array<std::int64_t, 2> to = {pool_.batch, output_.dims[2]};
    if (part.count > 1) {
      const CutRange range = cut_range(output_, part.cut, part.index, part.count);
      const std::size_t axis = part.cut.axis == 0 ? 0 : 1;
      from[axis] = range.begin;
      to[axis] = range.end;
    }
    for (std::int64_t n = from[0]; n < to[0]; ++n)
      for (std::int64_t row = from[1]; row < to[1]; ++row) run_row<Merge>(args, n, row, average);
  }

 private:
  /// Everything at one index of the first spatial axis of the value.
  template <class Merge>
  void run_row(const KernelArgs& args, std::int64_t n, std::int64_t row, bool average) const {
    const Dims& out = pool_.window.output;
    const std::size_t axes = output_.dims.size() - 2;
    const auto range = [&](std::size_t axis) {
      const std::size_t first = 3 - axes;
      return axis == first ? std::pair(row, row + 1) : std::pair(std::int64_t{0}, out[axis]);
    };
    std::vector<const float*> taps;
    for (std::int64_t d = range(0).first; d < range(0).second; ++d)
      for (std::int64_t h = range(1).first; h < range(1).second; ++h)
        for (std::int64_t w = range(2).first; w < range(2).second; ++w)
          run_pixel<Merge>(args, n, {d, h, w}, average, taps);
  }

  template <class Merge>
  void run_pixel(const KernelArgs& args, std::int64_t n, const std::array<std::int64_t, 3>& at,
                 bool average, std::vector<const float*>& taps) const {
    const Window& w = pool_.window;
    const std::int64_t channels = pool_.channels;
    std::array<Taps, 3> along;
    for (std::size_t axis = 0; axis < 3; ++axis)
      along[axis] = taps_[axis][static_cast<std::size_t>(at[axis])];
    taps.clear();
    const auto place = [&](std::size_t axis, std::int64_t k) {
      return along[axis].origin + k * w.dilations[axis];
    };
    for (std::int64_t a = along[0].first; a < along[0].last; ++a)
      for (std::int64_t b = along[1].first; b < along[1].last; ++b)
        for (std::int64_t c = along[2].first; c < along[2].last; ++c)
          taps.push_back(args.in<float>(0) +
                         (((n * w.input[0] + place(0, a)) * w.input[1] + place(1, b)) * w.input[2] +
                          place(2, c)) *
                             channels);
    float* to = args.out<float>(0) +
                (((n * w.output[0] + at[0]) * w.output[1] + at[1]) * w.output[2] + at[2]) *
                    args.pitch_of_rows(channels);
    if (taps.empty()) std::fill_n(to, channels, Merge::start);
    // A window that sees padding only averages to zero.
    const auto count = static_cast<float>(
        std::max<std::int64_t>(along[0].counted * along[1].counted * along[2].counted, 1));
    on_best_isa([&]() __attribute__((always_inline)) {
      merge_taps<Merge>(taps, to, channels);
      if (average)
        for (std::int64_t i = 0; i < channels; ++i) to[i] /= count;
    });
  }

  PoolGeometry pool_;
  TensorType output_;
  std::array<std::vector<Taps>, 3> taps_;  // of each output along each axis
};

template <class Merge>
std::optional<Prepared> prepare_pool(const KernelCall& call, bool average) {
  if (call.op.input(0).element != ElementType::F32 || call.op.outputs.size() > 1)
    return std::nullopt;
  const auto kernel = std::make_shared<const Pool>(call.op);
  Prepared prepared;
  prepared.implementation = "pool";
  prepared.takes_pitch = true;
  prepared.cuts = kernel->cuts();
  prepared.input_orders = {channels_last_order(call.op.dims(0).size())};
  prepared.output_orders = prepared.input_orders;
  prepared.make = [kernel, average](const Part& part) -> Kernel {
    return [kernel, average, part](const KernelArgs& args) {
      kernel->run<Merge>(args, part, average);
    };
  };
  return prepared;
}

/// Channels that lie in one line of the cache.
constexpr std::int64_t kMeanGrain = 16;

/// What a part has of an axis: its range if the cut goes along it, else all.
CutRange part_range(const TensorType& output, const Part& part, int axis) {
  if (part.count > 1 && part.cut.axis == axis)
    return cut_range(output, part.cut, part.index, part.count);
  return {0, output.dims[static_cast<std::size_t>(axis)]};
}

/// The mean over all axes from the third on, of channels-last values. Each channel is summed pixel
/// by pixel, whatever part it is in.
std::optional<Prepared> prepare_mean(const KernelCall& call) {
  if (call.op.input(0).element != ElementType::F32 || call.op.rank(0) < 3) return std::nullopt;
  const Dims& dims = call.op.dims(0);
  const std::int64_t pixels = span_of(dims, 2, call.op.rank(0));
  Prepared prepared;
  prepared.implementation = "spatial_mean";
  prepared.input_orders = {channels_last_order(dims.size())};
  const TensorType output = call.op.outputs[0];
  if (dims[0] > 1) prepared.cuts.push_back({.axis = 0});
  if (dims[1] > kMeanGrain) prepared.cuts.push_back({.axis = 1, .grain = kMeanGrain});
  prepared.make = [=](const Part& part) -> Kernel {
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
  return prepared;
}

}  // namespace

std::optional<Prepared> prepare_max_pool(const KernelCall& call) {
  return prepare_pool<Largest>(call, false);
}
std::optional<Prepared> prepare_average_pool(const KernelCall& call) {
  return prepare_pool<Total>(call, true);
}

std::optional<Prepared> prepare_global_average_pool(const KernelCall& call) {
  return prepare_mean(call);
}

std::optional<Prepared> prepare_spatial_mean(const KernelCall& call) {
  if (call.op.rank(0) < 3 || (call.op.has(1) && call.op.known[1] == nullptr) || !call.op.has(1))
    return std::nullopt;
  std::vector<std::int64_t> axes =
      normal_axes(call.op.op, call.op.known_integers(1, "the axes"), call.op.rank(0));
  std::sort(axes.begin(), axes.end());
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (axes[i] != static_cast<std::int64_t>(i) + 2) return std::nullopt;
  if (axes.size() + 2 != call.op.dims(0).size()) return std::nullopt;
  return prepare_mean(call);
}

}  // namespace braid::cpu
