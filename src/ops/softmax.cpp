#include <cmath>
#include <limits>

#include "ops/definitions.h"
#include "ops/shared/axes.h"
#include "tensor/element.h"

namespace braid {
namespace {

std::int64_t softmax_axis(const OpCall& call) {
  return normal_axis(call.op, call.attributes->integer("axis", -1), call.rank(0));
}

std::vector<TensorType> infer_softmax(const OpCall& call) {
  softmax_axis(call);
  return {call.input(0)};
}

Work softmax_work(const OpCall& call) {
  return {.flops = 5 * static_cast<double>(element_count(call.input(0)))};
}

/// One line of elements along the axis.
template <class C>
using Line = std::vector<C>;

/// Hands each line along the axis, in the compute type, to `normalise`, which changes it in place.
template <class Normalise>
std::vector<Tensor> each_line(const OpCall& call, const Tensor& x, Normalise normalise) {
  const AxisView view = view_along(x.dims(), softmax_axis(call));
  Tensor out = Tensor::uninitialised(call.outputs[0]);
  dispatch_floats(x.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto in = x.data<T>();
    const auto to = out.mutable_data<T>();
    Line<Compute<T>> line(static_cast<std::size_t>(view.length));
    for (std::int64_t o = 0; o < view.outer; ++o)
      for (std::int64_t i = 0; i < view.inner; ++i) {
        const auto at = [&](std::size_t k) {
          return static_cast<std::size_t>(
              (o * view.length + static_cast<std::int64_t>(k)) * view.inner + i);
        };
        for (std::size_t k = 0; k < line.size(); ++k) line[k] = load(in[at(k)]);
        normalise(line);
        for (std::size_t k = 0; k < line.size(); ++k) to[at(k)] = store<T>(line[k]);
      }
  });
  return {out};
}

template <class C>
C largest(const Line<C>& line) {
  C best = -std::numeric_limits<C>::infinity();
  for (const C x : line) best = x > best ? x : best;
  return best;
}

std::vector<Tensor> evaluate_softmax(const OpCall& call, std::span<const Tensor> inputs) {
  return each_line(call, inputs[0], []<class C>(Line<C>& line) {
    const C shift = largest(line);
    C sum = 0;
    for (C& x : line) sum += x = std::exp(x - shift);
    for (C& x : line) x /= sum;
  });
}

std::vector<Tensor> evaluate_log_softmax(const OpCall& call, std::span<const Tensor> inputs) {
  return each_line(call, inputs[0], []<class C>(Line<C>& line) {
    const C shift = largest(line);
    C sum = 0;
    for (const C x : line) sum += std::exp(x - shift);
    const C log_sum = std::log(sum);
    for (C& x : line) x = x - shift - log_sum;
  });
}

std::vector<Tensor> evaluate_hardmax(const OpCall& call, std::span<const Tensor> inputs) {
  return each_line(call, inputs[0], []<class C>(Line<C>& line) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < line.size(); ++k)
      if (line[k] > line[best] || (std::isnan(line[k]) && !std::isnan(line[best]))) best = k;
    for (std::size_t k = 0; k < line.size(); ++k) line[k] = k == best ? C(1) : C(0);
  });
}

OpDef softmax_row(std::string_view name, EvaluateFunction evaluate) {
  OpDef def;
  def.name = name;
  def.kind = OpKind::Softmax;
  def.versions = {1, 11, 13};
  def.attributes = {{.name = "axis", .kind = AttributeKind::Integer, .integer = -1}};
  def.types = kFloats;
  def.infer = infer_softmax;
  def.work = softmax_work;
  def.evaluate = evaluate;
  return def;
}

}  // namespace

std::vector<OpDef> softmax_ops() {
  OpDef log_softmax = softmax_row("LogSoftmax", evaluate_log_softmax);
  log_softmax.special_numbers = "on f64 NaN makes its line NaN; ONNX Runtime passes over it";
  OpDef hardmax = softmax_row("Hardmax", evaluate_hardmax);
  hardmax.special_numbers =
      "NaN is the extreme element, as in NumPy; ONNX Runtime compares with it, which "
      "is never true";
  return {
      softmax_row("Softmax", evaluate_softmax),
      log_softmax,
      hardmax,
  };
}

}  // namespace braid
