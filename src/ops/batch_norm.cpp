#include <cmath>

#include <fmt/format.h>

#include "base/error.h"
#include "ops/definitions.h"
#include "ops/shared/accumulate.h"
#include "ops/shared/axes.h"
#include "ops/shared/epilogue.h"

namespace braid {
namespace {

constexpr std::array<const char*, 5> kInputs = {"X", "scale", "B", "mean", "var"};

std::vector<TensorType> infer_batch_norm(const OpCall& call) {
  const Dims& x = call.dims(0);
  if (call.attributes->integer("training_mode", 0) != 0)
    raise(ErrorKind::Unsupported,
          "BatchNormalization in training mode; export the model for inference");
  if (call.output_count > 1)
    raise(ErrorKind::Model, "BatchNormalization has one output outside training mode");
  if (x.empty()) raise(ErrorKind::Model, "BatchNormalization of a scalar");
  const std::int64_t channels = x.size() > 1 ? x[1] : 1;
  for (std::size_t i = 1; i < kInputs.size(); ++i) {
    if (call.dims(i) != Dims{channels})
      raise(ErrorKind::Model,
            fmt::format("input {} of BatchNormalization has shape {}, expected [{}]", kInputs[i],
                        to_string(call.dims(i)), channels));
    if (!is_float_type(call.input(i).element))
      raise(ErrorKind::Model, fmt::format("input {} of BatchNormalization has type {}, expected "
                                          "floats",
                                          kInputs[i], to_string(call.input(i))));
  }
  read_activation(call);
  return {call.input(0)};
}

Work batch_norm_work(const OpCall& call) {
  return {.flops = 2 * static_cast<double>(element_count(call.input(0)))};
}

template <class T>
void normalise(std::span<const Tensor> inputs, float epsilon, const Epilogue& epilogue,
               std::span<T> result) {
  using C = Compute<T>;
  const auto x = inputs[0].data<T>();
  const auto scale = numbers<C>(inputs[1]);
  const auto shift = numbers<C>(inputs[2]);
  const auto mean = numbers<C>(inputs[3]);
  const auto variance = numbers<C>(inputs[4]);
  const Dims& dims = inputs[0].dims();
  const auto channels = scale.size();
  const auto inner = static_cast<std::size_t>(
      dims.size() > 1 ? span_of(dims, 2, static_cast<std::int64_t>(dims.size())) : 1);
  for (std::size_t start = 0; start < x.size(); start += inner) {
    const std::size_t c = start / inner % channels;
    const C factor = scale[c] / std::sqrt(variance[c] + static_cast<C>(epsilon));
    for (std::size_t i = start; i < start + inner; ++i)
      result[i] = store<T>(epilogue.activate((load(x[i]) - mean[c]) * factor + shift[c]));
  }
}

std::vector<Tensor> evaluate_batch_norm(const OpCall& call, std::span<const Tensor> inputs) {
  Tensor out = Tensor::uninitialised(call.outputs[0]);
  dispatch_floats(out.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    normalise<T>(inputs, call.attributes->real("epsilon", 1e-5F), read_activation(call),
                 out.mutable_data<T>());
  });
  return {out};
}

}  // namespace

std::vector<OpDef> batch_norm_ops() {
  OpDef def;
  def.name = "BatchNormalization";
  def.versions = {1, 6, 7, 9, 14, 15};
  def.min_inputs = 5;
  def.max_inputs = 5;
  def.max_outputs = 3;
  def.attributes = with_epilogue_attributes({{"epsilon", AttributeKind::Real},
                                             {"momentum", AttributeKind::Real},
                                             {"training_mode", AttributeKind::Integer}});
  def.special_numbers =
      "an infinite scale makes infinities; ONNX Runtime multiplies the mean by it "
      "first, which makes NaN";
  def.types = kFloats;
  def.infer = infer_batch_norm;
  def.work = batch_norm_work;
  def.evaluate = evaluate_batch_norm;
  def.expand = expand_epilogue;
  def.needs_expansion = has_epilogue_in;
  return {def};
}

}  // namespace braid
