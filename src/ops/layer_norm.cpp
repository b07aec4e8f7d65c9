#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/error.h"
#include "ops/call.h"
#include "ops/definitions.h"
#include "ops/shared/accumulate.h"
#include "ops/shared/axes.h"
#include "ops/shared/broadcast.h"
#include "ops/shared/expansion.h"
#include "ops/shared/onnx_type.h"

namespace braid {
namespace {

std::int64_t norm_axis(const OpCall& call) {
  return normal_axis(call.op, call.attributes->integer("axis", -1), call.rank(0));
}

std::vector<TensorType> infer_layer_norm(const OpCall& call) {
  const TensorType& x = call.input(0);
  const std::int64_t axis = norm_axis(call);
  common_element(call);
  check_broadcasts_to(call, 1, "the scale", x.dims);
  if (call.has(2)) check_broadcasts_to(call, 2, "the bias", x.dims);
  TensorType statistic = x;
  statistic.element = element_of_onnx(call.op, call.attributes->integer("stash_type", 1));
  if (!is_float_type(statistic.element))
    raise(ErrorKind::Model, fmt::format("attribute 'stash_type' of {} names the type {}, expected "
                                        "a float",
                                        call.op, name(statistic.element)));
  for (std::size_t i = static_cast<std::size_t>(axis); i < statistic.dims.size(); ++i)
    statistic.dims[i] = 1;
  std::vector<TensorType> types = {x, statistic, statistic};
  types.resize(call.output_count);
  return types;
}

std::vector<TensorType> infer_rms_norm(const OpCall& call) {
  const TensorType& x = call.input(0);
  norm_axis(call);
  if (!is_float_type(call.input(1).element))
    raise(ErrorKind::Model, fmt::format("the scale of {} has type {}, expected floats", call.op,
                                        to_string(call.input(1))));
  check_broadcasts_to(call, 1, "the scale", x.dims);
  return {{call.input(1).element, x.dims}};
}

Work layer_norm_work(const OpCall& call) {
  return {.flops = 8 * static_cast<double>(element_count(call.input(0)))};
}

struct Statistics {
  double mean = 0;
  double inverse_deviation = 0;
};

template <class T>
Statistics statistics(std::span<const T> block, double epsilon, bool centred) {
  Statistics result;
  const auto count = static_cast<double>(block.size());
  if (centred) {
    for (const T& x : block) result.mean += static_cast<double>(load(x));
    result.mean /= count;
  }
  double squares = 0;
  for (const T& x : block) {
    const double difference = static_cast<double>(load(x)) - result.mean;
    squares += difference * difference;
  }
  result.inverse_deviation = 1 / std::sqrt(squares / count + epsilon);
  return result;
}

std::vector<Tensor> normalise(const OpCall& call, std::span<const Tensor> inputs, bool centred) {
  const Tensor& x = inputs[0];
  const std::int64_t axis = norm_axis(call);
  const auto blocks = static_cast<std::size_t>(span_of(x.dims(), 0, axis));
  const auto size = static_cast<std::size_t>(span_of(x.dims(), axis, call.rank(0)));
  const double epsilon = call.attributes->real("epsilon", 1e-5F);
  const Tensor scale = spread(inputs[1], x.dims());
  const Tensor bias = call.has(2) ? spread(inputs[2], x.dims()) : Tensor{};
  std::vector<Tensor> results = uninitialised_outputs(call);
  std::vector<Statistics> found;
  dispatch_floats(x.element(), [&](auto x_tag) {
    using X = typename decltype(x_tag)::type;
    dispatch_floats(results[0].element(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const auto in = x.data<X>();
      const auto factor = scale.data<T>();
      const auto to = results[0].mutable_data<T>();
      // Blocks without elements have statistics too: NaN.
      for (std::size_t start = 0; found.size() < blocks; start += size) {
        found.push_back(statistics(in.subspan(start, size), epsilon, centred));
        for (std::size_t i = start; i < start + size; ++i) {
          const double centre = static_cast<double>(load(in[i])) - found.back().mean;
          double y = centre * found.back().inverse_deviation * static_cast<double>(load(factor[i]));
          if (bias.defined()) y += static_cast<double>(load(bias.data<T>()[i]));
          to[i] = store<T>(y);
        }
      }
    });
  });
  for (std::size_t k = 1; k < results.size(); ++k)
    dispatch_floats(results[k].element(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const auto to = results[k].mutable_data<T>();
      for (std::size_t i = 0; i < found.size(); ++i)
        to[i] = store<T>(k == 1 ? found[i].mean : found[i].inverse_deviation);
    });
  return results;
}

std::vector<Tensor> evaluate_layer_norm(const OpCall& call, std::span<const Tensor> inputs) {
  return normalise(call, inputs, true);
}
std::vector<Tensor> evaluate_rms_norm(const OpCall& call, std::span<const Tensor> inputs) {
  return normalise(call, inputs, false);
}

/// Mean, difference, variance and quotient; small floats are computed as float, as the operator
/// does.
GraphEdit expand_layer_norm(const Graph& graph, NodeId id) {
  Expansion e(graph, id);
  const std::vector<ValueId>& inputs = e.node().inputs;
  const bool small = e.type().element == ElementType::F16 || e.type().element == ElementType::BF16;
  const TensorType wide = {small ? ElementType::F32 : e.type().element, e.type().dims};
  TensorType statistic = wide;
  std::vector<std::int64_t> axes;
  const auto rank = static_cast<std::int64_t>(wide.dims.size());
  for (std::int64_t axis =
           normal_axis("LayerNormalization", e.node().attributes.integer("axis", -1), rank);
       axis < rank; ++axis) {
    axes.push_back(axis);
    statistic.dims[static_cast<std::size_t>(axis)] = 1;
  }
  const auto mean_of = [&](ValueId x) {
    return e.add("ReduceMean",
                 {x, e.constant(Tensor::of<std::int64_t>(
                         Dims{static_cast<std::int64_t>(axes.size())}, axes))},
                 {}, statistic);
  };
  const auto cast_to = [&](ValueId x, const TensorType& type) {
    return small ? e.add("Cast", {x}, {{"to", onnx_type(type.element)}}, type) : x;
  };
  const ValueId x = cast_to(inputs[0], wide);
  const ValueId centred = e.add("Sub", {x, mean_of(x)}, {}, wide);
  const ValueId variance = mean_of(e.add("Mul", {centred, centred}, {}, wide));
  const ValueId epsilon = e.number(e.node().attributes.real("epsilon", 1e-5F), wide.element);
  const ValueId deviation =
      e.add("Sqrt", {e.add("Add", {variance, epsilon}, {}, statistic)}, {}, statistic);
  const ValueId normalised = cast_to(e.add("Div", {centred, deviation}, {}, wide), e.type());
  const ValueId scaled = e.add("Mul", {normalised, inputs[1]});
  const bool biased = inputs.size() > 2 && inputs[2].valid();
  return e.finish(biased ? e.add("Add", {scaled, inputs[2]}) : scaled);
}

/// Whether the node must be expanded; one that also gives mean or deviation has no expansion.
bool is_too_new(const Node& node, int opset) {
  return opset < 17 && std::none_of(
                           node.outputs.begin() + 1, node.outputs.end(),
                           [](ValueId output) { return output.valid(); });
}

OpDef norm_row(std::string_view name, std::vector<int> versions, InferFunction infer,
               EvaluateFunction evaluate) {
  OpDef def;
  def.name = name;
  def.kind = OpKind::RowNorm;
  def.versions = std::move(versions);
  def.min_inputs = 2;
  def.max_inputs = 2;
  def.attributes = {{"axis", AttributeKind::Integer},
                    {"epsilon", AttributeKind::Real},
                    {"stash_type", AttributeKind::Integer}};
  def.types = kFloats;
  def.infer = infer;
  def.work = layer_norm_work;
  def.evaluate = evaluate;
  return def;
}

}  // namespace

std::vector<OpDef> layer_norm_ops() {
  OpDef layer = norm_row("LayerNormalization", {17}, infer_layer_norm, evaluate_layer_norm);
  layer.special_numbers =
      "the mean that it tells of a line with an infinity is infinite; ONNX Runtime's "
      "is NaN";
  layer.max_inputs = 3;
  layer.max_outputs = 3;
  layer.needs_expansion = is_too_new;
  layer.expand = expand_layer_norm;
  return {layer, norm_row("RMSNormalization", {23}, infer_rms_norm, evaluate_rms_norm)};
}

}  // namespace braid
