#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <utility>

#include "device/cpu/kernels/part.h"
#include "device/cpu/machine/isa.h"
#include "ops/kernels_cpu.h"
#include "ops/pool.h"
#include "ops/shared/axes.h"

namespace braid::cpu {
namespace {

/// The larger of two numbers; NaN wins.
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

/// The taps of a pixel that read no padding, as offsets in elements from its first tap, and how
/// many taps count in an average.
struct PixelTaps {
  std::vector<std::int64_t> offsets;
  float counted = 0;  ///< 0: it is no average
};

/// Merges some taps into `to`, or into what a pixel starts with.
template <class Merge, std::size_t... I>
[[gnu::always_inline]] inline void merge_taps(std::index_sequence<I...>, const float* from,
                                              const std::int64_t* offsets, bool first,
                                              float* __restrict to, std::int64_t channels) {
  const float* const taps[] = {from + offsets[I]...};
  if (first) {
    for (std::int64_t c = 0; c < channels; ++c) {
      float best = Merge::start;
      ((best = Merge::merge(best, taps[I][c])), ...);
      to[c] = best;
    }
  } else {
    for (std::int64_t c = 0; c < channels; ++c) {
      float best = to[c];
      ((best = Merge::merge(best, taps[I][c])), ...);
      to[c] = best;
    }
  }
}

/// Merges the taps of a pixel, as many at a time as there are registers for, so that `to` is seldom
/// read and written.
template <class Merge>
[[gnu::always_inline]] inline void merge_pixel(const float* from, const PixelTaps& taps, float* to,
                                               std::int64_t channels) {
  const std::int64_t* next = taps.offsets.data();
  const std::int64_t* const end = next + taps.offsets.size();
  if (next == end) std::fill_n(to, channels, Merge::start);
  bool first = true;
  const auto merge = [&](auto some) __attribute__((always_inline)) {
    for (; end - next >= static_cast<std::ptrdiff_t>(some.size());
         next += some.size(), first = false)
      merge_taps<Merge>(some, from, next, first, to, channels);
  };
  merge(std::make_index_sequence<9>());
  merge(std::make_index_sequence<4>());
  merge(std::make_index_sequence<2>());
  merge(std::make_index_sequence<1>());
  if (taps.counted > 0)
    for (std::int64_t c = 0; c < channels; ++c) to[c] /= taps.counted;
}

/// The taps along an axis that read no padding for an output.
struct Taps {
  std::int64_t count = 0;
  std::int64_t origin = 0;   ///< the input that the first of them reads
  std::int64_t counted = 0;  ///< all taps that count in an average
};

Taps taps_at(const PoolGeometry& pool, std::size_t axis, std::int64_t output) {
  const Window& w = pool.window;
  Taps taps;
  for (std::int64_t k = 0; k < w.kernel[axis]; ++k) {
    const std::int64_t at = output * w.strides[axis] - w.pads_begin[axis] + k * w.dilations[axis];
    const bool inside = at >= 0 && at < w.input[axis];
    if (inside && taps.count++ == 0) taps.origin = at;
    const bool counts = at >= -w.pads_begin[axis] && at < w.input[axis] + w.pads_end[axis];
    taps.counted += inside || (pool.count_include_pad && counts) ? 1 : 0;
  }
  return taps;
}

/// A pool on channels-last values: each output pixel merges whole pixels of the input.
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
  /// Computes everything at one index of the first spatial axis of the value.
  template <class Merge>
  void run_row(const KernelArgs& args, std::int64_t n, std::int64_t row, bool average) const {
    const Dims& out = pool_.window.output;
    const std::size_t axes = output_.dims.size() - 2;
    const auto range = [&](std::size_t axis) {
      const std::size_t first = 3 - axes;
      return axis == first ? std::pair(row, row + 1) : std::pair(std::int64_t{0}, out[axis]);
    };
    on_best_isa([&]() __attribute__((always_inline)) {
      for (std::int64_t d = range(0).first; d < range(0).second; ++d)
        for (std::int64_t h = range(1).first; h < range(1).second; ++h)
          run_line<Merge>(args, n, {d, h, 0}, range(2).first, range(2).second, average);
    });
  }

  /// Computes the outputs [begin, end) along the last axis. Neighbours mostly have the same taps.
  template <class Merge>
  [[gnu::always_inline]] void run_line(const KernelArgs& args, std::int64_t n,
                                       std::array<std::int64_t, 3> at, std::int64_t begin,
                                       std::int64_t end, bool average) const {
    const Window& w = pool_.window;
    const std::int64_t channels = pool_.channels;
    const std::int64_t pitch = args.pitch_of_rows(channels);
    const Taps& planes = taps_[0][static_cast<std::size_t>(at[0])];
    const Taps& rows = taps_[1][static_cast<std::size_t>(at[1])];
    PixelTaps taps;
    const Taps* like = nullptr;
    for (std::int64_t x = begin; x < end; ++x) {
      const Taps& columns = taps_[2][static_cast<std::size_t>(x)];
      const bool known =
          like != nullptr && like->count == columns.count && like->counted == columns.counted;
      if (!known) taps = taps_of_pixel(planes, rows, columns, average);
      like = &columns;
      const std::int64_t first =
          ((n * w.input[0] + planes.origin) * w.input[1] + rows.origin) * w.input[2] +
          columns.origin;
      const std::int64_t output =
          ((n * w.output[0] + at[0]) * w.output[1] + at[1]) * w.output[2] + x;
      merge_pixel<Merge>(args.in<float>(0) + first * channels, taps,
                         args.out<float>(0) + output * pitch, channels);
    }
  }

  PixelTaps taps_of_pixel(const Taps& planes, const Taps& rows, const Taps& columns,
                          bool average) const {
    const Window& w = pool_.window;
    PixelTaps taps;
    for (std::int64_t a = 0; a < planes.count; ++a)
      for (std::int64_t b = 0; b < rows.count; ++b)
        for (std::int64_t c = 0; c < columns.count; ++c)
          taps.offsets.push_back(
              ((a * w.dilations[0] * w.input[1] + b * w.dilations[1]) * w.input[2] +
               c * w.dilations[2]) *
              pool_.channels);
    // A window that sees padding only averages to zero.
    if (average)
      taps.counted = static_cast<float>(
          std::max<std::int64_t>(planes.counted * rows.counted * columns.counted, 1));
    return taps;
  }

  PoolGeometry pool_;
  TensorType output_;
  std::array<std::vector<Taps>, 3> taps_;  // of each output along each axis
};

template <class Merge>
std::optional<Way> prepare_pool(const KernelCall& call, bool average) {
  if (call.op.input(0).element != ElementType::F32 || call.op.outputs.size() > 1)
    return std::nullopt;
  const auto kernel = std::make_shared<const Pool>(call.op);
  Way way;
  way.implementation = "pool";
  way.takes_pitch = true;
  way.cuts = kernel->cuts();
  way.input_orders = {channels_last_order(call.op.dims(0).size())};
  way.output_orders = way.input_orders;
  way.make = [kernel, average](const Part& part) -> Kernel {
    return [kernel, average, part](const KernelArgs& args) {
      kernel->run<Merge>(args, part, average);
    };
  };
  return way;
}

}  // namespace

std::optional<Way> prepare_max_pool(const KernelCall& call) {
  return prepare_pool<Largest>(call, false);
}
std::optional<Way> prepare_average_pool(const KernelCall& call) {
  return prepare_pool<Total>(call, true);
}

}  // namespace braid::cpu
