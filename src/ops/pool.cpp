#include "ops/pool.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/error.h"
#include "ops/call.h"
#include "ops/definitions.h"
#include "tensor/element.h"

namespace braid {

Dims PoolGeometry::output_dims() const {
  Dims dims = {batch, channels};
  dims.insert(dims.end(), window.output.begin(), window.output.end());
  return dims;
}

PoolGeometry pool_geometry(const OpCall& call) {
  const Dims& x = call.dims(0);
  const Dims spatial = spatial_extents(call, x);
  PoolGeometry pool;
  pool.batch = x[0];
  pool.channels = x[1];
  pool.window = read_window(call, call.attributes->integers("kernel_shape"), spatial);
  pool.count_include_pad = call.attributes->integer("count_include_pad", 0) != 0;
  pool.column_major = call.attributes->integer("storage_order", 0) != 0;
  pool.p = call.attributes->integer("p", 2);
  if (pool.p < 1)
    raise(ErrorKind::Model,
          fmt::format("attribute 'p' of {} is {}, expected at least 1", call.op, pool.p));
  return pool;
}

namespace {

std::vector<TensorType> infer_pool(const OpCall& call) {
  const TensorType output = {call.input(0).element, pool_geometry(call).output_dims()};
  if (call.output_count < 2) return {output};
  return {output, {ElementType::I64, output.dims}};
}

Work pool_work(const OpCall& call) {
  const PoolGeometry pool = pool_geometry(call);
  double flops = static_cast<double>(element_count(pool.output_dims()));
  for (const std::int64_t k : pool.window.kernel) flops *= static_cast<double>(k);
  return {.flops = flops};
}

/// The taps [first, last) of the kernel that read the input, not padding, for one output index.
struct PoolTaps {
  std::int64_t start;  // position of tap 0
  std::int64_t first;
  std::int64_t last;

  PoolTaps(const Window& w, std::size_t axis, std::int64_t output) {
    start = output * w.strides[axis] - w.pads_begin[axis];
    const std::int64_t step = w.dilations[axis];
    first = start >= 0 ? 0 : std::min(w.kernel[axis], (-start + step - 1) / step);
    const std::int64_t room = w.input[axis] - start;
    last = room <= 0 ? 0 : std::min(w.kernel[axis], (room + step - 1) / step);
    last = std::max(first, last);
  }
};

/// The taps of one output that lie in the input or its padding: windows may reach past the padding
/// when sizes are rounded up.
std::int64_t padded_taps(const Window& w, const std::array<std::int64_t, 3>& at) {
  std::int64_t count = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t room =
        w.input[axis] + w.pads_begin[axis] + w.pads_end[axis] - at[axis] * w.strides[axis];
    const std::int64_t step = w.dilations[axis];
    count *= std::min(w.kernel[axis], (room + step - 1) / step);
  }
  return count;
}

/// Calls visit(position in the channel) for each input of the window at output `at`.
template <class Visit>
void visit_window(const Window& w, const std::array<std::int64_t, 3>& at, const Visit& visit) {
  const PoolTaps planes(w, 0, at[0]);
  const PoolTaps rows(w, 1, at[1]);
  const PoolTaps columns(w, 2, at[2]);
  for (std::int64_t a = planes.first; a < planes.last; ++a)
    for (std::int64_t b = rows.first; b < rows.last; ++b) {
      const std::int64_t plane = planes.start + a * w.dilations[0];
      const std::int64_t row = rows.start + b * w.dilations[1];
      const std::int64_t base = (plane * w.input[1] + row) * w.input[2] + columns.start;
      for (std::int64_t c = columns.first; c < columns.last; ++c) visit(base + c * w.dilations[2]);
    }
}

/// Calls reduce(channel, output position in the tensor, index of the output in the window's axes).
template <class Reduce>
void for_each_output(const PoolGeometry& pool, const Window& w, const Reduce& reduce) {
  std::size_t out = 0;
  for (std::int64_t channel = 0; channel < pool.batch * pool.channels; ++channel)
    for (std::int64_t i = 0; i < w.output[0]; ++i)
      for (std::int64_t j = 0; j < w.output[1]; ++j)
        for (std::int64_t k = 0; k < w.output[2]; ++k)
          reduce(channel, out++, std::array<std::int64_t, 3>{i, j, k});
}

template <class T>
bool replaces(T x, T best) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(x)) return !std::isnan(best);
  return x > best;
}

/// A position in a channel counted with the first axis running fastest.
std::int64_t column_major(const Window& w, std::int64_t position) {
  const std::int64_t column = position % w.input[2];
  const std::int64_t row = position / w.input[2] % w.input[1];
  const std::int64_t plane = position / w.input[2] / w.input[1];
  return (column * w.input[1] + row) * w.input[0] + plane;
}

std::vector<Tensor> evaluate_max(const OpCall& call, std::span<const Tensor> inputs) {
  const PoolGeometry pool = pool_geometry(call);
  const Window w = with_three_axes(pool.window);
  const std::int64_t size = element_count(w.input);
  std::vector<Tensor> results = uninitialised_outputs(call);
  dispatch(inputs[0].element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Compute<T>;
    using Limits = std::numeric_limits<C>;
    const C least = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    const auto in = inputs[0].data<T>();
    const auto to = results[0].mutable_data<T>();
    for_each_output(pool, w, [&](std::int64_t channel, std::size_t out, const auto& at) {
      C best = least;
      std::int64_t where = -1;
      visit_window(w, at, [&](std::int64_t position) {
        const C x = load(in[static_cast<std::size_t>(channel * size + position)]);
        if (where >= 0 && !replaces(x, best)) return;
        best = x;
        where = position;
      });
      to[out] = store<T>(best);
      if (results.size() < 2) return;
      if (pool.column_major && where >= 0) where = column_major(w, where);
      results[1].mutable_data<std::int64_t>()[out] = channel * size + where;
    });
  });
  return results;
}

template <class C>
C power(C x, std::int64_t p) {
  x = std::fabs(x);
  return p == 1 ? x : p == 2 ? x * x : std::pow(x, static_cast<C>(p));
}

template <class C>
C root(C x, std::int64_t p) {
  return p == 1 ? x : p == 2 ? std::sqrt(x) : std::pow(x, C(1) / static_cast<C>(p));
}

/// `finish(sum, inputs in the window, index of the output)` gives the output from the sum of
/// `term(x)`.
template <class Term, class Finish>
Tensor pooled_sums(const OpCall& call, const Tensor& x, Term term, Finish finish) {
  const PoolGeometry pool = pool_geometry(call);
  const Window w = with_three_axes(pool.window);
  const std::int64_t size = element_count(w.input);
  Tensor result = Tensor::uninitialised(call.outputs[0]);
  dispatch_floats(x.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Compute<T>;
    const auto in = x.data<T>();
    const auto to = result.mutable_data<T>();
    for_each_output(pool, w, [&](std::int64_t channel, std::size_t out, const auto& at) {
      C sum = 0;
      std::int64_t count = 0;
      visit_window(w, at, [&](std::int64_t position) {
        sum += term(load(in[static_cast<std::size_t>(channel * size + position)]));
        ++count;
      });
      to[out] = store<T>(finish(sum, pool.count_include_pad ? padded_taps(w, at) : count));
    });
  });
  return result;
}

std::vector<Tensor> evaluate_average(const OpCall& call, std::span<const Tensor> inputs) {
  return {pooled_sums(
      call, inputs[0], [](auto x) { return x; },
      [](auto sum, std::int64_t count) {
        return count == 0 ? sum : sum / static_cast<decltype(sum)>(count);
      })};
}

std::vector<Tensor> evaluate_lp(const OpCall& call, std::span<const Tensor> inputs) {
  const std::int64_t p = call.attributes->integer("p", 2);
  return {pooled_sums(
      call, inputs[0], [p](auto x) { return power(x, p); },
      [p](auto sum, std::int64_t) { return root(sum, p); })};
}

std::vector<AttributeDef> window_attributes(std::vector<AttributeDef> own) {
  own.insert(own.end(), {{"auto_pad", AttributeKind::Text},
                         {"ceil_mode", AttributeKind::Integer},
                         {"dilations", AttributeKind::Integers},
                         {"kernel_shape", AttributeKind::Integers, true},
                         {"pads", AttributeKind::Integers},
                         {"strides", AttributeKind::Integers}});
  return own;
}

OpDef pool_row(std::string_view name, std::vector<int> versions, ElementSet types,
               std::vector<AttributeDef> own, EvaluateFunction evaluate) {
  OpDef def;
  def.name = name;
  def.kind = OpKind::Window;
  def.versions = std::move(versions);
  def.attributes = window_attributes(std::move(own));
  def.types = types;
  def.infer = infer_pool;
  def.work = pool_work;
  def.evaluate = evaluate;
  return def;
}

}  // namespace

std::vector<OpDef> pool_ops() {
  OpDef max = pool_row("MaxPool", {1, 8, 10, 11, 12, 22}, kNumbers,
                       {{"storage_order", AttributeKind::Integer}}, evaluate_max);
  max.max_outputs = 2;
  max.special_numbers =
      "NaN in a window stays NaN; ONNX Runtime passes over it, and a window of "
      "negative infinities has the lowest finite number";
  return {
      max,
      pool_row("AveragePool", {1, 7, 10, 11, 19, 22}, kFloats,
               {{"count_include_pad", AttributeKind::Integer}}, evaluate_average),
      pool_row("LpPool", {1, 2, 11, 18, 22}, kFloats, {{"p", AttributeKind::Integer}}, evaluate_lp),
  };
}

}  // namespace braid
