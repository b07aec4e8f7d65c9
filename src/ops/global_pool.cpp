#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/error.h"
#include "ops/definitions.h"
#include "ops/shared/axes.h"
#include "tensor/element.h"

namespace braid {
namespace {

std::vector<TensorType> infer_global(const OpCall& call) {
  TensorType type = call.input(0);
  if (type.dims.size() < 2)
    raise(ErrorKind::Model, fmt::format("{} needs an input [N,C,spatial...], got shape {}", call.op,
                                        to_string(type.dims)));
  for (std::size_t i = 2; i < type.dims.size(); ++i) type.dims[i] = 1;
  return {type};
}

Work one_flop_per_input(const OpCall& call) {
  return {.flops = static_cast<double>(element_count(call.input(0)))};
}

/// Hands each channel, as a span, to `reduce`.
template <class Reduce>
std::vector<Tensor> each_channel(const OpCall& call, const Tensor& x, Reduce reduce) {
  Tensor out = Tensor::uninitialised(call.outputs[0]);
  const auto size =
      static_cast<std::size_t>(span_of(x.dims(), 2, static_cast<std::int64_t>(x.dims().size())));
  dispatch(x.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto in = x.data<T>();
    const auto to = out.mutable_data<T>();
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] = store<T>(reduce(in.subspan(i * size, size)));
  });
  return {out};
}

std::vector<Tensor> evaluate_global_max(const OpCall& call, std::span<const Tensor> inputs) {
  return each_channel(call, inputs[0], []<class T>(std::span<const T> channel) {
    using Limits = std::numeric_limits<Compute<T>>;
    Compute<T> best = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    for (const T& element : channel) {
      const auto x = load(element);
      if (x > best || x != x) best = x;
    }
    return best;
  });
}

std::vector<Tensor> evaluate_global_average(const OpCall& call, std::span<const Tensor> inputs) {
  return each_channel(call, inputs[0], []<class T>(std::span<const T> channel) {
    double sum = 0;
    for (const T& x : channel) sum += static_cast<double>(load(x));
    return static_cast<Compute<T>>(sum / static_cast<double>(channel.size()));
  });
}

std::vector<Tensor> evaluate_global_lp(const OpCall& call, std::span<const Tensor> inputs) {
  const auto p = static_cast<double>(call.attributes->integer("p", 2));
  return each_channel(call, inputs[0], [p]<class T>(std::span<const T> channel) {
    double sum = 0;
    for (const T& x : channel) sum += std::pow(std::fabs(static_cast<double>(load(x))), p);
    return static_cast<Compute<T>>(std::pow(sum, 1 / p));
  });
}

std::vector<TensorType> infer_lp(const OpCall& call) {
  if (const std::int64_t p = call.attributes->integer("p", 2); p < 1)
    raise(ErrorKind::Model,
          fmt::format("attribute 'p' of {} is {}, expected at least 1", call.op, p));
  return infer_global(call);
}

OpDef global_pool_row(std::string_view name, std::vector<int> versions, ElementSet types,
                      EvaluateFunction evaluate) {
  OpDef def;
  def.name = name;
  def.kind = OpKind::Reduction;
  def.versions = std::move(versions);
  def.types = types;
  def.infer = infer_global;
  def.work = one_flop_per_input;
  def.evaluate = evaluate;
  return def;
}

}  // namespace

std::vector<OpDef> global_pool_ops() {
  OpDef lp = global_pool_row("GlobalLpPool", {1, 2, 22}, kFloats, evaluate_global_lp);
  lp.attributes = {{"p", AttributeKind::Integer}};
  lp.infer = infer_lp;
  OpDef max = global_pool_row("GlobalMaxPool", {1, 22}, kNumbers, evaluate_global_max);
  max.special_numbers = "NaN stays NaN; ONNX Runtime passes over it";
  return {
      global_pool_row("GlobalAveragePool", {1, 22}, kFloats, evaluate_global_average),
      max,
      lp,
  };
}

}  // namespace braid
