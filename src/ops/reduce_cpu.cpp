#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/checked.h"
#include "device/cpu/kernels/part.h"
#include "device/cpu/kernels/reduced_view.h"
#include "device/cpu/kernels/spatial_mean.h"
#include "device/cpu/machine/isa.h"
#include "ops/kernels_cpu.h"
#include "ops/reduce.h"
#include "ops/shared/axes.h"

namespace braid::cpu {
namespace {

// A fold takes numbers one after another, as the reducers of `evaluate` do; sums are in double.

struct Sum {
  using Acc = double;
  static constexpr Acc kStart = 0;
  [[gnu::always_inline]] static Acc step(Acc sum, float x) { return sum + static_cast<Acc>(x); }
  [[gnu::always_inline]] static Acc merged(Acc a, Acc b) { return a + b; }
  [[gnu::always_inline]] static Acc finish(Acc sum, Acc) { return sum; }
};

struct Mean : Sum {
  [[gnu::always_inline]] static Acc finish(Acc sum, Acc count) { return sum / count; }
};

struct L1 : Sum {
  [[gnu::always_inline]] static Acc step(Acc sum, float x) { return sum + std::fabs(x); }
};

struct SumSquare : Sum {
  [[gnu::always_inline]] static Acc step(Acc sum, float x) {
    return sum + static_cast<Acc>(x) * static_cast<Acc>(x);
  }
};

struct L2 : SumSquare {
  [[gnu::always_inline]] static Acc finish(Acc sum, Acc) { return std::sqrt(sum); }
};

/// NaN stays NaN.
struct Max {
  using Acc = float;
  static constexpr Acc kStart = -std::numeric_limits<float>::infinity();
  [[gnu::always_inline]] static Acc step(Acc best, float x) {
    return x <= best ? best : kept(best, x);
  }
  [[gnu::always_inline]] static Acc kept(Acc best, float x) { return best != best ? best : x; }
  [[gnu::always_inline]] static Acc merged(Acc a, Acc b) { return step(a, b); }
  [[gnu::always_inline]] static Acc finish(Acc best, double) { return best; }
};

struct Min : Max {
  static constexpr Acc kStart = std::numeric_limits<float>::infinity();
  [[gnu::always_inline]] static Acc step(Acc best, float x) {
    return x >= best ? best : kept(best, x);
  }
  [[gnu::always_inline]] static Acc merged(Acc a, Acc b) { return step(a, b); }
};

/// Lines that are folded side by side while their numbers pass by, a row of them at a time.
constexpr std::int64_t kLines = 256;
/// Numbers of one line that are folded side by side.
constexpr std::int64_t kNumbers = 16;

/// `count` lines whose numbers lie `view.inner` apart; at most kLines.
template <class Fold>
[[gnu::always_inline]] inline void fold_lines(const AxisView& view, const float* from,
                                              std::int64_t count, float* to) {
  typename Fold::Acc folded[kLines];
  for (std::int64_t i = 0; i < count; ++i) folded[i] = Fold::kStart;
  for (std::int64_t row = 0; row < view.length; ++row, from += view.inner)
    for (std::int64_t i = 0; i < count; ++i) folded[i] = Fold::step(folded[i], from[i]);
  const auto length = static_cast<double>(view.length);
  for (std::int64_t i = 0; i < count; ++i)
    to[i] = static_cast<float>(Fold::finish(folded[i], length));
}

/// A line whose numbers follow one another.
template <class Fold>
[[gnu::always_inline]] inline float folded_line(const float* from, std::int64_t length) {
  typename Fold::Acc folded[kNumbers];
  for (auto& acc : folded) acc = Fold::kStart;
  std::int64_t i = 0;
  for (; i + kNumbers <= length; i += kNumbers)
#pragma GCC unroll 16
    for (std::int64_t j = 0; j < kNumbers; ++j) folded[j] = Fold::step(folded[j], from[i + j]);
  for (std::int64_t j = 0; i + j < length; ++j) folded[j] = Fold::step(folded[j], from[i + j]);
  for (std::int64_t half = kNumbers / 2; half > 0; half /= 2)
    for (std::int64_t j = 0; j < half; ++j) folded[j] = Fold::merged(folded[j], folded[j + half]);
  return static_cast<float>(Fold::finish(folded[0], static_cast<double>(length)));
}

/// The elements `range` of the output.
template <class Fold>
void fold(const AxisView& view, CutRange range, const float* from, float* to) {
  on_best_isa([&]() __attribute__((always_inline)) {
    if (view.inner == 1) {
      for (std::int64_t i = range.begin; i < range.end; ++i)
        to[i] = folded_line<Fold>(from + i * view.length, view.length);
      return;
    }
    for (std::int64_t i = range.begin; i < range.end;) {
      const std::int64_t block = i / view.inner;
      const std::int64_t column = i % view.inner;
      const std::int64_t count = std::min({kLines, view.inner - column, range.end - i});
      fold_lines<Fold>(view, from + block * view.length * view.inner + column, count, to + i);
      i += count;
    }
  });
}

using FoldFunction = void (*)(const AxisView&, CutRange, const float*, float*);

FoldFunction fold_of(std::string_view op) {
  if (op == "ReduceSum") return fold<Sum>;
  if (op == "ReduceMean") return fold<Mean>;
  if (op == "ReduceL1") return fold<L1>;
  if (op == "ReduceL2") return fold<L2>;
  if (op == "ReduceSumSquare") return fold<SumSquare>;
  return op == "ReduceMin" ? fold<Min> : fold<Max>;
}

std::optional<Way> prepare_fold(const KernelCall& call, const std::vector<std::int64_t>& axes) {
  if (call.op.input(0).element != ElementType::F32) return std::nullopt;
  const Dims& dims = call.op.dims(0);
  AxisOrder order = call.inputs[0];
  std::optional<AxisView> view = reduced_view(dims, order, axes);
  if (!view) view = reduced_view(dims, order = {}, axes);
  if (!view) return std::nullopt;
  const TensorType output = call.op.outputs[0];
  Way way;
  way.implementation = "reduce";
  way.input_orders = {order};
  way.output_orders = {reduced_order(order, dims, output.dims, axes)};
  way.cuts = cuts_in(output, way.output_orders[0]);
  way.make = [view = *view, output, fold = fold_of(call.op.op)](const Part& part) -> Kernel {
    return [=, range = outermost_range(output, part)](const KernelArgs& args) {
      fold(view, range, args.in<float>(0), args.out<float>(0));
    };
  };
  return way;
}

}  // namespace

std::optional<Way> prepare_reduce(const KernelCall& call) {
  if (call.op.has(1) && call.op.known[1] == nullptr) return std::nullopt;
  return prepare_fold(call, reduced_axes(call.op));
}

std::optional<Way> prepare_global_max_pool(const KernelCall& call) {
  std::vector<std::int64_t> spatial(static_cast<std::size_t>(call.op.rank(0) - 2));
  std::iota(spatial.begin(), spatial.end(), 2);
  return prepare_fold(call, spatial);
}

std::optional<Way> prepare_spatial_mean(const KernelCall& call) {
  if (call.op.rank(0) < 3 || (call.op.has(1) && call.op.known[1] == nullptr) || !call.op.has(1))
    return std::nullopt;
  std::vector<std::int64_t> axes =
      normal_axes(call.op.op, call.op.known_integers(1, "the axes"), call.op.rank(0));
  std::sort(axes.begin(), axes.end());
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (axes[i] != static_cast<std::int64_t>(i) + 2) return std::nullopt;
  const Dims& dims = call.op.dims(0);
  if (axes.size() + 2 != dims.size() ||
      !same_places(dims, call.inputs[0], channels_last_order(dims.size())))
    return std::nullopt;
  return prepare_mean(call);
}

}  // namespace braid::cpu
