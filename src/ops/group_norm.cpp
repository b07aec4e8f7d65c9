#include <cmath>

#include <fmt/format.h>

#include "base/error.h"
#include "ops/definitions.h"
#include "ops/shared/accumulate.h"
#include "ops/shared/axes.h"
#include "ops/shared/broadcast.h"
#include "ops/shared/strided.h"

namespace braid {
namespace {

/// The number of groups; InstanceNormalization has one for each channel.
std::int64_t groups_of(const OpCall& call) {
  return call.op == "InstanceNormalization" ? call.dims(0)[1]
                                            : call.attributes->integer("num_groups", 1);
}

std::vector<TensorType> infer_group_norm(const OpCall& call) {
  const Dims& x = call.dims(0);
  if (x.size() < 2)
    raise(ErrorKind::Model,
          fmt::format("{} needs an input [N,C,...], got shape {}", call.op, to_string(x)));
  common_element(call);
  const std::int64_t groups = groups_of(call);
  if (x[1] > 0 && (groups < 1 || x[1] % groups != 0))
    raise(ErrorKind::Model, fmt::format("attribute 'num_groups' of {} is {}, which does not divide "
                                        "{} channels",
                                        call.op, groups, x[1]));
  for (std::size_t i = 1; i < 3; ++i)
    if (call.dims(i) != Dims{x[1]})
      raise(ErrorKind::Model,
            fmt::format("the {} of {} has shape {}, expected [{}]", i == 1 ? "scale" : "bias",
                        call.op, to_string(call.dims(i)), x[1]));
  return {call.input(0)};
}

Work norm_work(const OpCall& call) {
  return {.flops = 8 * static_cast<double>(element_count(call.input(0)))};
}

template <class T>
void normalise_groups(const OpCall& call, std::span<const Tensor> inputs, std::span<T> result) {
  const Dims& dims = inputs[0].dims();
  const auto in = inputs[0].data<T>();
  const auto scale = numbers<double>(inputs[1]);
  const auto bias = numbers<double>(inputs[2]);
  const double epsilon = call.attributes->real("epsilon", 1e-5F);
  const auto inner = static_cast<std::size_t>(span_of(dims, 2, call.rank(0)));
  const std::size_t size = inner * (scale.size() / static_cast<std::size_t>(groups_of(call)));
  for (std::size_t start = 0; start < in.size(); start += size) {
    double mean = 0;
    for (std::size_t i = start; i < start + size; ++i) mean += static_cast<double>(load(in[i]));
    mean /= static_cast<double>(size);
    double variance = 0;
    for (std::size_t i = start; i < start + size; ++i) {
      const double difference = static_cast<double>(load(in[i])) - mean;
      variance += difference * difference;
    }
    const double factor = 1 / std::sqrt(variance / static_cast<double>(size) + epsilon);
    for (std::size_t i = start; i < start + size; ++i) {
      const std::size_t channel = i / inner % scale.size();
      const double centred = static_cast<double>(load(in[i])) - mean;
      result[i] = store<T>(centred * factor * scale[channel] + bias[channel]);
    }
  }
}

std::vector<Tensor> evaluate_group_norm(const OpCall& call, std::span<const Tensor> inputs) {
  Tensor out = Tensor::uninitialised(call.outputs[0]);
  dispatch_floats(out.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    normalise_groups<T>(call, inputs, out.mutable_data<T>());
  });
  return {out};
}

std::int64_t lp_axis(const OpCall& call) {
  return normal_axis(call.op, call.attributes->integer("axis", -1), call.rank(0));
}

std::vector<TensorType> infer_lp_norm(const OpCall& call) {
  lp_axis(call);
  if (const std::int64_t p = call.attributes->integer("p", 2); p != 1 && p != 2)
    raise(ErrorKind::Model, fmt::format("attribute 'p' of {} is {}, expected 1 or 2", call.op, p));
  return {call.input(0)};
}

std::vector<Tensor> evaluate_lp_norm(const OpCall& call, std::span<const Tensor> inputs) {
  const AxisView view = view_along(inputs[0].dims(), lp_axis(call));
  const bool euclidean = call.attributes->integer("p", 2) == 2;
  Tensor out = Tensor::uninitialised(call.outputs[0]);
  dispatch_floats(out.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto in = inputs[0].data<T>();
    const auto to = out.mutable_data<T>();
    for (std::int64_t o = 0; o < view.outer; ++o)
      for (std::int64_t i = 0; i < view.inner; ++i) {
        const auto at = [&](std::int64_t k) {
          return static_cast<std::size_t>((o * view.length + k) * view.inner + i);
        };
        double sum = 0;
        for (std::int64_t k = 0; k < view.length; ++k) {
          const auto x = static_cast<double>(load(in[at(k)]));
          sum += euclidean ? x * x : std::fabs(x);
        }
        const double norm = euclidean ? std::sqrt(sum) : sum;
        // A line of zeros stays one.
        for (std::int64_t k = 0; k < view.length; ++k)
          to[at(k)] = store<T>(norm == 0 ? 0 : static_cast<double>(load(in[at(k)])) / norm);
      }
  });
  return {out};
}

std::vector<std::int64_t> mvn_axes(const OpCall& call) {
  return normal_axes(call.op, call.attributes->integers("axes", {0, 2, 3}), call.rank(0));
}

std::vector<TensorType> infer_mvn(const OpCall& call) {
  mvn_axes(call);
  return {call.input(0)};
}

/// ONNX defines it as (x - E[x]) / (sqrt(E[x^2] - E[x]^2) + 1e-9).
std::vector<Tensor> evaluate_mvn(const OpCall& call, std::span<const Tensor> inputs) {
  const Dims& dims = inputs[0].dims();
  Dims reduced = dims;
  for (const std::int64_t axis : mvn_axes(call)) reduced[static_cast<std::size_t>(axis)] = 1;
  const auto cells = static_cast<std::size_t>(element_count(reduced));
  const double count = static_cast<double>(element_count(dims)) / static_cast<double>(cells);
  const std::vector<Dims> strides = {dense_strides(dims), broadcast_strides(reduced, dims)};
  Tensor out = Tensor::uninitialised(call.outputs[0]);
  dispatch_floats(out.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto in = inputs[0].data<T>();
    const auto to = out.mutable_data<T>();
    const auto each = [&](const auto& visit) {
      each_row(dims, strides,
               [&](const std::int64_t* offsets, const std::int64_t* steps, std::int64_t length) {
                 for (std::int64_t i = 0; i < length; ++i)
                   visit(static_cast<std::size_t>(offsets[0] + i * steps[0]),
                         static_cast<std::size_t>(offsets[1] + i * steps[1]));
               });
    };
    std::vector<double> mean(cells, 0);
    std::vector<double> variance(cells, 0);
    each([&](std::size_t i, std::size_t cell) {
      mean[cell] += static_cast<double>(load(in[i])) / count;
    });
    each([&](std::size_t i, std::size_t cell) {
      const double difference = static_cast<double>(load(in[i])) - mean[cell];
      variance[cell] += difference * difference / count;
    });
    each([&](std::size_t i, std::size_t cell) {
      to[i] = store<T>((static_cast<double>(load(in[i])) - mean[cell]) /
                       (std::sqrt(variance[cell]) + 1e-9));
    });
  });
  return {out};
}

OpDef group_norm_row(std::string_view name, std::vector<int> versions,
                     std::vector<AttributeDef> attributes, InferFunction infer,
                     EvaluateFunction evaluate) {
  OpDef def;
  def.name = name;
  def.versions = std::move(versions);
  def.attributes = std::move(attributes);
  def.types = kFloats;
  def.infer = infer;
  def.work = norm_work;
  def.evaluate = evaluate;
  return def;
}

}  // namespace

std::vector<OpDef> group_norm_ops() {
  OpDef instance =
      group_norm_row("InstanceNormalization", {1, 6, 22}, {{"epsilon", AttributeKind::Real}},
                     infer_group_norm, evaluate_group_norm);
  OpDef group = group_norm_row("GroupNormalization", {18, 21},
                               {{"epsilon", AttributeKind::Real},
                                {"num_groups", AttributeKind::Integer, true},
                                {"stash_type", AttributeKind::Integer}},
                               infer_group_norm, evaluate_group_norm);
  instance.special_numbers =
      "an infinite scale makes infinities; ONNX Runtime multiplies the mean by it "
      "first, which makes NaN";
  for (OpDef* def : {&instance, &group}) def->min_inputs = def->max_inputs = 3;
  return {
      instance,
      group,
      group_norm_row("LpNormalization", {1, 22},
                     {{"axis", AttributeKind::Integer}, {"p", AttributeKind::Integer}},
                     infer_lp_norm, evaluate_lp_norm),
      group_norm_row("MeanVarianceNormalization", {9, 13}, {{"axes", AttributeKind::Integers}},
                     infer_mvn, evaluate_mvn),
  };
}

}  // namespace braid
