#include "zoo/layers.h"

#include <cmath>
#include <limits>
#include <numeric>

namespace braid::zoo {
namespace {

// The range of the means of normalised values that a rectifier reads.
constexpr double kLowestShift = 0.2;
constexpr double kHighestShift = 0.8;

Attributes window(const Extent& kernel, const Extent& stride, const Margins& pad) {
  return {{"kernel_shape", std::vector{kernel.height, kernel.width}},
          {"strides", std::vector{stride.height, stride.width}},
          {"pads", std::vector{pad.top, pad.left, pad.bottom, pad.right}}};
}

Tensor floats(const std::vector<double>& numbers) {
  Tensor tensor =
      Tensor::uninitialised({ElementType::F32, {static_cast<std::int64_t>(numbers.size())}});
  const auto data = tensor.mutable_data<float>();
  for (std::size_t i = 0; i < numbers.size(); ++i) data[i] = static_cast<float>(numbers[i]);
  return tensor;
}

/// Takes the mean off each run of `length` elements.
Tensor centred(Tensor weight, std::int64_t length) {
  const auto data = weight.mutable_data<float>();
  const auto n = static_cast<std::size_t>(length);
  for (std::size_t at = 0; at < data.size(); at += n) {
    const auto run = data.subspan(at, n);
    const double mean = std::accumulate(run.begin(), run.end(), 0.0) / static_cast<double>(n);
    for (float& element : run) element = static_cast<float>(element - mean);
  }
  return weight;
}

/// The variance of all that one output reads, `taps` elements per channel.
double total_variance(const Moments& x, double taps) {
  double total = 0;
  for (const double variance : x.variance) total += variance;
  return total * taps;
}

}  // namespace

Layers::Layers(Graph& graph, std::uint64_t seed) : builder_(graph), weights_(seed) {
  for (const ValueId x : graph.inputs())
    if (graph.value(x).type.dims.size() > 1)
      moments_.emplace(x, input_moments(graph.value(x).type.dims[1]));
}

const Moments& Layers::moments(ValueId x) { return moments_.at(x); }

ValueId Layers::with(ValueId y, Moments moments) {
  moments_.emplace(y, std::move(moments));
  return y;
}

ValueId Layers::weighted(const std::string& name, ValueId x, const ConvShape& shape, Tensor weight,
                         ValueId bias) {
  Attributes attributes = window(shape.kernel, shape.stride, shape.pad);
  if (shape.groups != 1) attributes.set("group", shape.groups);
  std::vector<ValueId> inputs = {x, builder_.constant(name + "/weight", std::move(weight))};
  if (bias.valid()) inputs.push_back(bias);
  return builder_.add("Conv", std::move(inputs), std::move(attributes), name);
}

Tensor Layers::kernels(const std::string& name, ValueId x, const Dims& shape, double deviation) {
  Tensor weight = weights_.normal(name + "/weight", shape, deviation);
  const std::int64_t taps = shape[2] * shape[3];
  if (graph().is_input(x)) return centred(std::move(weight), taps);
  return shape[1] == 1 ? weight : centred(std::move(weight), shape[1] * taps);
}

ValueId Layers::conv(const std::string& name, ValueId x, const ConvShape& shape) {
  const std::int64_t inputs = dims(x)[1] / shape.groups;
  const Dims weight_dims = {shape.channels, inputs, shape.kernel.height, shape.kernel.width};
  const auto fan_in = static_cast<double>(inputs * shape.kernel.height * shape.kernel.width);
  Tensor weight = kernels(name, x, weight_dims, std::sqrt(2 / fan_in));
  Moments y = strided(convolved(moments(x), weight, shape.groups), shape.stride.height);
  return with(weighted(name, x, shape, std::move(weight), {}), std::move(y));
}

Tensor Layers::centring_bias(const std::string& name, const Moments& y, double low,
                             double high) const {
  const Tensor shift =
      weights_.uniform(name + "/bias", {static_cast<std::int64_t>(y.channels())}, low, high);
  std::vector<double> bias(y.channels());
  for (std::size_t c = 0; c < bias.size(); ++c)
    bias[c] = static_cast<double>(shift.data<float>()[c]) - rounded(y.mean[c]);
  return floats(bias);
}

ValueId Layers::conv_with_bias(const std::string& name, ValueId x, const ConvShape& shape) {
  const std::int64_t inputs = dims(x)[1] / shape.groups;
  const Dims weight_dims = {shape.channels, inputs, shape.kernel.height, shape.kernel.width};
  const auto taps = static_cast<double>(shape.kernel.height * shape.kernel.width) /
                    static_cast<double>(shape.groups);
  const double deviation = rounded(1 / std::sqrt(total_variance(moments(x), taps)));
  Tensor weight = kernels(name, x, weight_dims, deviation);
  Moments y = strided(convolved(moments(x), weight, shape.groups), shape.stride.height);
  const Tensor bias = centring_bias(name, y, kLowestShift, kHighestShift);
  for (std::size_t c = 0; c < y.channels(); ++c)
    y.mean[c] += static_cast<double>(bias.data<float>()[c]);
  const ValueId bias_id = builder_.constant(name + "/bias", bias);
  return with(weighted(name, x, shape, std::move(weight), bias_id), std::move(y));
}

ValueId Layers::batch_norm(const std::string& name, ValueId x, float epsilon) {
  const Moments& before = moments(x);
  const std::size_t n = before.channels();
  const Dims channels = {static_cast<std::int64_t>(n)};
  const Tensor gamma = weights_.uniform(name + "/gamma", channels, 0.8, 1.2);
  const Tensor beta = weights_.uniform(name + "/beta", channels, kLowestShift, kHighestShift);
  std::vector<double> mean(n);
  std::vector<double> variance(n);
  std::vector<double> scale(n);
  std::vector<double> shift(n);
  for (std::size_t c = 0; c < n; ++c) {
    mean[c] = rounded(before.mean[c]);
    variance[c] = rounded(before.variance[c]);
    scale[c] = static_cast<double>(gamma.data<float>()[c]) / std::sqrt(variance[c] + epsilon);
    shift[c] = static_cast<double>(beta.data<float>()[c]) - mean[c] * scale[c];
  }
  Moments after = scaled(before, scale, shift);
  const ValueId y = builder_.add(
      "BatchNormalization",
      {x, builder_.constant(name + "/gamma", gamma), builder_.constant(name + "/beta", beta),
       builder_.constant(name + "/mean", floats(mean)),
       builder_.constant(name + "/variance", floats(variance))},
      {{"epsilon", epsilon}}, name);
  return with(y, std::move(after));
}

ValueId Layers::relu(const std::string& name, ValueId x) {
  return with(builder_.add("Relu", {x}, {}, name), rectified(moments(x)));
}

ValueId Layers::conv_bn_relu(const std::string& name, ValueId x, const ConvShape& shape,
                             float epsilon) {
  const ValueId convolution = conv(name + "/conv", x, shape);
  return relu(name + "/relu", batch_norm(name + "/bn", convolution, epsilon));
}

ValueId Layers::pool(const std::string& op, const std::string& name, ValueId x,
                     const PoolShape& shape) {
  Attributes attributes = window(shape.kernel, shape.stride, shape.pad);
  if (shape.ceil_mode) attributes.set("ceil_mode", std::int64_t{1});
  if (op == "AveragePool")
    attributes.set("count_include_pad", std::int64_t{shape.count_include_pad ? 1 : 0});
  return builder_.add(op, {x}, std::move(attributes), name);
}

ValueId Layers::max_pool(const std::string& name, ValueId x, const PoolShape& shape) {
  return with(pool("MaxPool", name, x, shape),
              strided(max_pooled(moments(x), shape.kernel.height), shape.stride.height));
}

ValueId Layers::average_pool(const std::string& name, ValueId x, const PoolShape& shape) {
  return with(pool("AveragePool", name, x, shape),
              strided(average_pooled(moments(x), shape.kernel.height), shape.stride.height));
}

ValueId Layers::global_average_pool(const std::string& name, ValueId x) {
  return with(builder_.add("GlobalAveragePool", {x}, {}, name),
              average_pooled(moments(x), dims(x)[2]));
}

ValueId Layers::flatten(const std::string& name, ValueId x) {
  const ValueId y = builder_.add("Flatten", {x}, {{"axis", std::int64_t{1}}}, name);
  return with(y, repeated(moments(x), dims(y)[1] / dims(x)[1]));
}

ValueId Layers::add(const std::string& name, ValueId a, ValueId b) {
  return with(builder_.add("Add", {a, b}, {}, name), sum(moments(a), moments(b)));
}

ValueId Layers::concat(const std::string& name, const std::vector<ValueId>& parts) {
  std::vector<Moments> of_parts;
  of_parts.reserve(parts.size());
  for (const ValueId part : parts) of_parts.push_back(moments(part));
  return with(builder_.add("Concat", parts, {{"axis", std::int64_t{1}}}, name),
              concatenated(of_parts));
}

ValueId Layers::pad(const std::string& name, ValueId x, const Margins& margins) {
  const ValueId pads = builder_.integers(
      name + "/pads", {0, 0, margins.top, margins.left, 0, 0, margins.bottom, margins.right});
  return with(builder_.add("Pad", {x, pads}, {}, name), moments(x));
}

ValueId Layers::drop_first_row_and_column(const std::string& name, ValueId x) {
  constexpr std::int64_t end = std::numeric_limits<std::int64_t>::max();
  const std::vector<ValueId> inputs = {x, builder_.integers(name + "/starts", {1, 1}),
                                       builder_.integers(name + "/ends", {end, end}),
                                       builder_.integers(name + "/axes", {2, 3})};
  return with(builder_.add("Slice", inputs, {}, name), moments(x));
}

ValueId Layers::embedding(const std::string& name, const Dims& shape, double deviation,
                          ValueId indices) {
  const ValueId table =
      builder_.constant(name + "/table", weights_.normal(name + "/table", shape, deviation));
  const ValueId y = builder_.add("Gather", {table, indices}, {}, name);
  const auto channels = static_cast<std::size_t>(dims(y)[1]);
  return with(y, {std::vector<double>(channels, 0.0),
                  std::vector<double>(channels, deviation * deviation), 0});
}

ValueId Layers::dense(const std::string& name, ValueId x, std::int64_t outputs) {
  const double deviation = rounded(1 / std::sqrt(total_variance(moments(x), 1)));
  const Tensor weight =
      centred(weights_.normal(name + "/weight", {outputs, dims(x)[1]}, deviation), dims(x)[1]);
  Moments y = convolved(moments(x), weight, 1);
  const Tensor bias = centring_bias(name, y, -0.2, 0.2);
  for (std::size_t c = 0; c < y.channels(); ++c)
    y.mean[c] += static_cast<double>(bias.data<float>()[c]);
  const std::vector<ValueId> inputs = {x, builder_.constant(name + "/weight", weight),
                                       builder_.constant(name + "/bias", bias)};
  return with(builder_.add("Gemm", inputs, {{"transB", std::int64_t{1}}}, name), std::move(y));
}

void Layers::classify(ValueId x) {
  const ValueId pooled = global_average_pool("head/pool", x);
  graph().add_output(dense("logits", flatten("head/flatten", pooled), 1000));
}

}  // namespace braid::zoo
