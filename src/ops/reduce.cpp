#include "ops/reduce.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/checked.h"
#include "ops/definitions.h"
#include "ops/shared/arithmetic.h"
#include "ops/shared/axes.h"
#include "ops/shared/elementwise.h"

namespace braid {
namespace {

// A reducer folds elements one after another: start() → step(sum, x) … → finish(sum, count).
// Floats are summed in double.

template <class T>
struct Sum {
  using Acc = Accumulate<T>;
  Acc start() const { return 0; }
  Acc step(Acc sum, Compute<T> x) const { return add<Acc>(sum, x); }
  Acc finish(Acc sum, std::int64_t) const { return sum; }
};

/// Integers are summed in 64 bits; their mean is truncated.
template <class T>
struct Mean {
  using Wide = std::conditional_t<std::is_unsigned_v<T>, std::uint64_t, std::int64_t>;
  using Acc = std::conditional_t<is_float<T>, double, Wide>;
  Acc start() const { return 0; }
  Acc step(Acc sum, Compute<T> x) const { return add<Acc>(sum, x); }
  Acc finish(Acc sum, std::int64_t count) const { return divide(sum, static_cast<Acc>(count)); }
};

template <class T>
struct Product {
  using Acc = Accumulate<T>;
  Acc start() const { return 1; }
  Acc step(Acc product, Compute<T> x) const { return multiply<Acc>(product, x); }
  Acc finish(Acc product, std::int64_t) const { return product; }
};

template <class T>
struct L1 : Sum<T> {
  using typename Sum<T>::Acc;
  Acc step(Acc sum, Compute<T> x) const { return add<Acc>(sum, magnitude(x)); }
};

template <class T>
struct SumSquare : Sum<T> {
  using typename Sum<T>::Acc;
  Acc step(Acc sum, Compute<T> x) const { return add<Acc>(sum, multiply<Acc>(x, x)); }
};

/// Squares of integers are summed in 64 bits, and the root of the exact sum is truncated.
template <class T>
struct L2 {
  using Acc = std::conditional_t<is_float<T>, double, std::uint64_t>;
  Acc start() const { return 0; }
  Acc step(Acc sum, Compute<T> x) const {
    const auto wide = static_cast<Acc>(magnitude(x));
    return add<Acc>(sum, multiply<Acc>(wide, wide));
  }
  auto finish(Acc sum, std::int64_t) const {
    if constexpr (is_float<T>)
      return std::sqrt(sum);
    else
      return std::sqrt(static_cast<long double>(sum));
  }
};

template <class T>
struct LogSum : Sum<T> {
  using typename Sum<T>::Acc;
  Acc finish(Acc sum, std::int64_t) const { return std::log(sum); }
};

/// Keeps the largest exponent apart, so that nothing overflows: the sum is exp(top) * rest.
template <class T>
struct LogSumExp {
  struct Acc {
    double top = -std::numeric_limits<double>::infinity();
    double rest = 0;
  };
  Acc start() const { return {}; }
  Acc step(Acc sum, Compute<T> element) const {
    const double x = element;
    if (x == sum.top) return {sum.top, sum.rest + 1};
    if (x < sum.top) return {sum.top, sum.rest + std::exp(x - sum.top)};
    return {x, sum.rest * std::exp(sum.top - x) + 1};
  }
  double finish(Acc sum, std::int64_t) const { return sum.top + std::log(sum.rest); }
};

template <class T>
struct Max {
  using Acc = Compute<T>;
  Acc start() const {
    if constexpr (is_float<T>) return -std::numeric_limits<Acc>::infinity();
    return std::numeric_limits<Acc>::lowest();
  }
  Acc step(Acc best, Acc x) const { return larger(best, x); }
  Acc finish(Acc best, std::int64_t) const { return best; }
};

template <class T>
struct Min {
  using Acc = Compute<T>;
  Acc start() const {
    if constexpr (is_float<T>) return std::numeric_limits<Acc>::infinity();
    return std::numeric_limits<Acc>::max();
  }
  Acc step(Acc best, Acc x) const { return smaller(best, x); }
  Acc finish(Acc best, std::int64_t) const { return best; }
};

/// The axes of a shape split in two groups, each with its strides in the whole.
struct SplitAxes {
  Dims kept;
  Dims kept_strides;
  Dims reduced;
  Dims reduced_strides;
};

SplitAxes split_axes(const Dims& dims, const std::vector<std::int64_t>& axes) {
  const Dims strides = dense_strides(dims);
  std::vector<bool> reduced(dims.size());
  for (std::int64_t axis : axes) reduced[static_cast<std::size_t>(axis)] = true;
  SplitAxes split;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    (reduced[i] ? split.reduced : split.kept).push_back(dims[i]);
    (reduced[i] ? split.reduced_strides : split.kept_strides).push_back(strides[i]);
  }
  return split;
}

/// The rows that make up what is reduced into one element; all have the same step and length.
struct ReducedRows {
  std::vector<std::int64_t> offsets;
  std::int64_t step = 1;
  std::int64_t length = 0;
};

ReducedRows reduced_rows(const SplitAxes& split) {
  ReducedRows rows;
  each_row(split.reduced, {split.reduced_strides},
           [&](const std::int64_t* offsets, const std::int64_t* steps, std::int64_t count) {
             rows.offsets.push_back(offsets[0]);
             rows.step = steps[0];
             rows.length = count;
           });
  return rows;
}

template <class T, class Reducer>
void reduce(const T* in, const SplitAxes& split, T* to) {
  const Reducer reducer;
  const ReducedRows rows = reduced_rows(split);
  const std::int64_t count = element_count(split.reduced);
  each_row(split.kept, {split.kept_strides},
           [&](const std::int64_t* offsets, const std::int64_t* steps, std::int64_t length) {
             for (std::int64_t i = 0; i < length; ++i) {
               const T* base = in + offsets[0] + i * steps[0];
               auto sum = reducer.start();
               for (std::int64_t row : rows.offsets)
                 for (std::int64_t k = 0; k < rows.length; ++k)
                   sum = reducer.step(sum, load(base[row + k * rows.step]));
               *to++ = element_from<T>(reducer.finish(sum, count));
             }
           });
}

std::vector<TensorType> infer_reduce(const OpCall& call) {
  const bool keep = call.attributes->integer("keepdims", 1) != 0;
  std::vector<bool> reduced(call.dims(0).size());
  for (std::int64_t axis : reduced_axes(call)) reduced[static_cast<std::size_t>(axis)] = true;
  TensorType type{call.input(0).element, {}};
  for (std::size_t i = 0; i < reduced.size(); ++i) {
    if (!reduced[i])
      type.dims.push_back(call.dims(0)[i]);
    else if (keep)
      type.dims.push_back(1);
  }
  return {type};
}

Work reduce_work(const OpCall& call) {
  return {.flops = static_cast<double>(element_count(call.input(0)))};
}

/// One block per output where much is reduced, else the launch of an elementwise operator.
Footprint reduce_footprint(const OpCall& call) {
  const std::int64_t in = element_count(call.input(0));
  const std::int64_t out = std::max<std::int64_t>(element_count(call.outputs[0]), 1);
  Footprint result;
  if (in / out >= result.threads) result.shared_bytes = std::int64_t{4} * result.threads;
  result.blocks =
      in / out >= result.threads ? out : std::max<std::int64_t>(ceil_div(out, result.threads), 1);
  return result;
}

template <ElementSet Types, template <class> class Reducer>
OpDef reduce_row(std::string_view name, std::vector<int> versions) {
  OpDef def;
  def.name = name;
  def.kind = OpKind::Reduction;
  def.versions = std::move(versions);
  def.max_inputs = 2;
  def.attributes = {{"keepdims", AttributeKind::Integer},
                    {"noop_with_empty_axes", AttributeKind::Integer}};
  def.types = Types;
  def.infer = infer_reduce;
  def.work = reduce_work;
  def.footprint = reduce_footprint;
  def.evaluate = [](const OpCall& call, std::span<const Tensor> inputs) {
    Tensor out = Tensor::uninitialised(call.outputs[0]);
    const SplitAxes split = split_axes(inputs[0].dims(), reduced_axes(call));
    dispatch_in<Types>(out.element(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      reduce<T, Reducer<T>>(inputs[0].data<T>().data(), split, out.mutable_data<T>().data());
    });
    return std::vector{out};
  };
  return def;
}

constexpr ElementSet kSummed =
    kFloats | ElementType::I32 | ElementType::I64 | ElementType::U32 | ElementType::U64;
constexpr ElementSet kOrdered = kSummed | ElementType::I8 | ElementType::U8 | ElementType::Bool;

}  // namespace

std::vector<std::int64_t> reduced_axes(const OpCall& call) {
  std::vector<std::int64_t> axes;
  if (call.has(1)) axes = normal_axes(call.op, call.known_integers(1, "the axes"), call.rank(0));
  if (axes.empty() && call.attributes->integer("noop_with_empty_axes", 0) == 0) {
    axes.resize(call.dims(0).size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  std::sort(axes.begin(), axes.end());
  return axes;
}

std::vector<OpDef> reduce_ops() {
  OpDef max = reduce_row<kOrdered, Max>("ReduceMax", {1, 11, 12, 13, 18, 20});
  OpDef min = reduce_row<kOrdered, Min>("ReduceMin", {1, 11, 12, 13, 18, 20});
  OpDef log_sum_exp = reduce_row<kFloats, LogSumExp>("ReduceLogSumExp", {1, 11, 13, 18, 28});
  for (OpDef* def : {&max, &min, &log_sum_exp})
    def->special_numbers = "NaN stays NaN; ONNX Runtime may pass over it";
  return {
      reduce_row<kSummed, Sum>("ReduceSum", {1, 11, 13}),
      reduce_row<kSummed, Mean>("ReduceMean", {1, 11, 13, 18}),
      reduce_row<kSummed, Product>("ReduceProd", {1, 11, 13, 18}),
      reduce_row<kSummed, L1>("ReduceL1", {1, 11, 13, 18}),
      reduce_row<kSummed, L2>("ReduceL2", {1, 11, 13, 18}),
      reduce_row<kSummed, SumSquare>("ReduceSumSquare", {1, 11, 13, 18}),
      reduce_row<kFloats, LogSum>("ReduceLogSum", {1, 11, 13, 18, 28}),
      log_sum_exp,
      max,
      min,
  };
}

}  // namespace braid
