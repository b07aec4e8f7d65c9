#include "zoo/token_layers.h"

#include <cmath>

namespace braid::zoo {
namespace {

Tensor with_centred_columns(Tensor weight) {
  const auto columns = static_cast<std::size_t>(weight.dims()[1]);
  const auto data = weight.mutable_data<float>();
  std::vector<double> means(columns);
  for (std::size_t row = 0; row < data.size(); row += columns)
    for (std::size_t c = 0; c < columns; ++c) means[c] += data[row + c];
  for (double& mean : means) mean /= static_cast<double>(weight.dims()[0]);
  for (std::size_t row = 0; row < data.size(); row += columns)
    for (std::size_t c = 0; c < columns; ++c)
      data[row + c] = static_cast<float>(data[row + c] - means[c]);
  return weight;
}

}  // namespace

ValueId number(Layers& net, const std::string& name, double value) {
  return net.builder().constant(name, Tensor::scalar(static_cast<float>(value)));
}

ValueId matrix(Layers& net, const std::string& name, ValueId x, std::int64_t outputs, double gain) {
  const std::int64_t inputs = net.dims(x).back();
  const double deviation = gain * std::sqrt(1.0 / static_cast<double>(inputs));
  return net.builder().constant(
      name + "/weight",
      with_centred_columns(net.weights().normal(name + "/weight", {inputs, outputs}, deviation)));
}

ValueId split_heads(Layers& net, const std::string& name, ValueId x, const HeadShape& heads,
                    std::vector<std::int64_t> axes) {
  const std::int64_t batch = net.dims(x)[0];
  const std::int64_t length = net.dims(x)[1];
  Builder& builder = net.builder();
  const ValueId shape =
      builder.integers(name + "/shape", {batch, length, heads.count, heads.width});
  const ValueId split = builder.add("Reshape", {x, shape}, {}, name + "/split");
  return builder.add("Transpose", {split}, {{"perm", std::move(axes)}}, name);
}

ValueId join_heads(Layers& net, const std::string& name, ValueId x) {
  const Dims heads = net.dims(x);
  Builder& builder = net.builder();
  const ValueId tokens = builder.add(
      "Transpose", {x}, {{"perm", std::vector<std::int64_t>{0, 2, 1, 3}}}, name + "/tokens");
  const ValueId shape =
      builder.integers(name + "/shape", {heads[0], heads[2], heads[1] * heads[3]});
  return builder.add("Reshape", {tokens, shape}, {}, name + "/joined");
}

ValueId mask_of_scores(Layers& net, ValueId mask) {
  Builder& builder = net.builder();
  const Dims tokens = net.dims(mask);
  return builder.add(
      "Reshape", {mask, builder.integers("mask/shape", {tokens[0], 1, 1, tokens[1]})}, {}, "mask");
}

}  // namespace braid::zoo
