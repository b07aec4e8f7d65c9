#include <cmath>

#include <fmt/format.h>

#include "base/error.h"
#include "ops/definitions.h"
#include "ops/shared/axes.h"
#include "tensor/element.h"

namespace braid {
namespace {

std::vector<TensorType> infer_lrn(const OpCall& call) {
  if (call.rank(0) < 2)
    raise(ErrorKind::Model,
          fmt::format("LRN needs an input [N,C,...], got shape {}", to_string(call.dims(0))));
  if (const std::int64_t size = call.attributes->integer("size", 1); size < 1)
    raise(ErrorKind::Model,
          fmt::format("attribute 'size' of LRN is {}, expected at least 1", size));
  return {call.input(0)};
}

Work lrn_work(const OpCall& call) {
  const double size = static_cast<double>(
      std::min(call.attributes->integer("size", 1), std::max<std::int64_t>(call.dims(0)[1], 1)));
  return {.flops = (2 * size + 4) * static_cast<double>(element_count(call.input(0)))};
}

std::vector<Tensor> evaluate_lrn(const OpCall& call, std::span<const Tensor> inputs) {
  const AxisView view = view_along(inputs[0].dims(), 1);
  const std::int64_t size = call.attributes->integer("size", 1);
  const std::int64_t before = std::min((size - 1) / 2, view.length);
  const std::int64_t after = std::min(size / 2, view.length);
  Tensor out = Tensor::uninitialised(call.outputs[0]);
  dispatch_floats(out.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Compute<T>;
    const C alpha = C(call.attributes->real("alpha", 1e-4F)) / static_cast<C>(size);
    const C beta = C(call.attributes->real("beta", 0.75F));
    const C bias = C(call.attributes->real("bias", 1));
    const auto in = inputs[0].data<T>();
    const auto to = out.mutable_data<T>();
    for (std::int64_t n = 0; n < view.outer; ++n)
      for (std::int64_t c = 0; c < view.length; ++c)
        for (std::int64_t i = 0; i < view.inner; ++i) {
          const auto at = [&](std::int64_t channel) {
            return static_cast<std::size_t>((n * view.length + channel) * view.inner + i);
          };
          C squares = 0;
          for (std::int64_t k = std::max<std::int64_t>(0, c - before);
               k <= std::min(view.length - 1, c + after); ++k)
            squares += load(in[at(k)]) * load(in[at(k)]);
          to[at(c)] = store<T>(load(in[at(c)]) / std::pow(bias + alpha * squares, beta));
        }
  });
  return {out};
}

}  // namespace

std::vector<OpDef> lrn_ops() {
  OpDef def;
  def.name = "LRN";
  def.versions = {1, 13};
  def.attributes = {{"alpha", AttributeKind::Real},
                    {"beta", AttributeKind::Real},
                    {"bias", AttributeKind::Real},
                    {"size", AttributeKind::Integer, true}};
  def.special_numbers =
      "each window is added up by itself; ONNX Runtime subtracts what leaves a "
      "running sum, in which NaN and infinities stay";
  def.types = kFloats;
  def.infer = infer_lrn;
  def.work = lrn_work;
  def.evaluate = evaluate_lrn;
  return {def};
}

}  // namespace braid
