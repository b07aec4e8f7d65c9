#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "zoo/layers.h"
#include "zoo/networks.h"

// Devlin et al., "BERT", the base size with pooler, in the operators that exporters write. The mask
// is a boolean input that each layer applies to its scores, so that nothing runs beside the three
// projections.

namespace braid::zoo {
namespace {

constexpr std::int64_t kWidth = 768;
constexpr std::int64_t kHeads = 12;
constexpr std::int64_t kHeadWidth = kWidth / kHeads;
constexpr std::int64_t kInnerWidth = 3072;
constexpr std::int64_t kVocabulary = 30522;
constexpr std::int64_t kPositions = 512;
constexpr std::int64_t kTokenTypes = 2;
constexpr int kLayerCount = 12;

/// Takes the mean off each column, so that what the elements of an activation have in common is not
/// added to every token.
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

class Encoder {
 public:
  explicit Encoder(Layers& net)
      : net_(net),
        builder_(net.builder()),
        batch_(net.dims(net.input(0))[0]),
        length_(net.dims(net.input(0))[1]) {}

  void build() {
    mask_ = builder_.add("Reshape",
                         {net_.input(1), builder_.integers("mask/shape", {batch_, 1, 1, length_})},
                         {}, "mask");
    ValueId x = embed(net_.input(0), net_.input(2));
    for (int i = 0; i < kLayerCount; ++i) x = layer(fmt::format("layer_{}", i), x);
    net_.graph().add_output(x, "last_hidden_state");
    net_.graph().add_output(pool(x), "pooler_output");
  }

 private:
  ValueId number(const std::string& name, double value) {
    return builder_.constant(name, Tensor::scalar(static_cast<float>(value)));
  }

  ValueId embedding(const std::string& name, std::int64_t rows, double deviation, ValueId indices) {
    const Tensor table = net_.weights().normal(name + "/table", {rows, kWidth}, deviation);
    return builder_.add("Gather", {builder_.constant(name + "/table", table), indices}, {}, name);
  }

  ValueId embed(ValueId tokens, ValueId types) {
    std::vector<std::int64_t> counted(static_cast<std::size_t>(length_));
    for (std::size_t i = 0; i < counted.size(); ++i) counted[i] = static_cast<std::int64_t>(i);
    const ValueId positions = builder_.constant(
        "positions",
        Tensor::of<std::int64_t>({1, length_}, std::span<const std::int64_t>(counted)));
    const ValueId word = embedding("embeddings/word", kVocabulary, 1.0, tokens);
    const ValueId type = embedding("embeddings/token_type", kTokenTypes, 0.3, types);
    const ValueId position = embedding("embeddings/position", kPositions, 0.3, positions);
    ValueId x = builder_.add("Add", {word, type}, {}, "embeddings/add_type");
    x = builder_.add("Add", {x, position}, {}, "embeddings/add_position");
    return normalise("embeddings/norm", x);
  }

  ValueId normalise(const std::string& name, ValueId x) {
    const Tensor gamma = net_.weights().uniform(name + "/gamma", {kWidth}, 0.8, 1.2);
    const Tensor beta = net_.weights().uniform(name + "/beta", {kWidth}, -0.2, 0.2);
    return builder_.add(
        "LayerNormalization",
        {x, builder_.constant(name + "/gamma", gamma), builder_.constant(name + "/beta", beta)},
        {{"axis", std::int64_t{-1}}, {"epsilon", 1e-12F}}, name);
  }

  /// A fully connected layer that gives elements of size `gain` for normalised ones.
  ValueId linear(const std::string& name, ValueId x, std::int64_t outputs, double gain = 1) {
    const std::int64_t inputs = net_.dims(x).back();
    const double deviation = gain * std::sqrt(1.0 / static_cast<double>(inputs));
    const Tensor weight =
        with_centred_columns(net_.weights().normal(name + "/weight", {inputs, outputs}, deviation));
    const Tensor bias = net_.weights().uniform(name + "/bias", {outputs}, -0.2, 0.2);
    const ValueId product = builder_.add("MatMul", {x, builder_.constant(name + "/weight", weight)},
                                         {}, name + "/product");
    return builder_.add("Add", {product, builder_.constant(name + "/bias", bias)}, {}, name);
  }

  /// [batch, length, width] to [batch, heads, …] in the order `axes` of batch, length, head, width.
  ValueId heads(const std::string& name, ValueId x, std::vector<std::int64_t> axes) {
    const ValueId shape = builder_.integers(name + "/shape", {batch_, length_, kHeads, kHeadWidth});
    const ValueId split = builder_.add("Reshape", {x, shape}, {}, name + "/split");
    return builder_.add("Transpose", {split}, {{"perm", std::move(axes)}}, name);
  }

  ValueId attend(const std::string& name, ValueId x) {
    const ValueId q =
        heads(name + "/query/heads", linear(name + "/query", x, kWidth, 1.25), {0, 2, 1, 3});
    const ValueId k =
        heads(name + "/key/heads", linear(name + "/key", x, kWidth, 1.25), {0, 2, 3, 1});
    const ValueId v =
        heads(name + "/value/heads", linear(name + "/value", x, kWidth), {0, 2, 1, 3});
    ValueId scores = builder_.add("MatMul", {q, k}, {}, name + "/scores");
    const ValueId scale = number(name + "/scale", std::sqrt(static_cast<double>(kHeadWidth)));
    scores = builder_.add("Div", {scores, scale}, {}, name + "/scaled");
    const ValueId never = number(name + "/never", -1e4);
    scores = builder_.add("Where", {mask_, scores, never}, {}, name + "/masked");
    const ValueId shares =
        builder_.add("Softmax", {scores}, {{"axis", std::int64_t{-1}}}, name + "/softmax");
    ValueId context = builder_.add("MatMul", {shares, v}, {}, name + "/context");
    context =
        builder_.add("Transpose", {context}, {{"perm", std::vector<std::int64_t>{0, 2, 1, 3}}},
                     name + "/context/tokens");
    const ValueId shape = builder_.integers(name + "/context/shape", {batch_, length_, kWidth});
    context = builder_.add("Reshape", {context, shape}, {}, name + "/context/joined");
    // What tokens have in common passes attention unchanged, the rest is averaged: at full gain all
    // tokens would grow alike.
    return linear(name + "/output", context, kWidth, 0.35);
  }

  /// x * 0.5 * (1 + erf(x / sqrt 2)): opset 17 has no Gelu.
  ValueId gelu(const std::string& name, ValueId x) {
    ValueId y = builder_.add("Div", {x, number(name + "/sqrt2", std::numbers::sqrt2)}, {},
                             name + "/scaled");
    y = builder_.add("Erf", {y}, {}, name + "/erf");
    y = builder_.add("Add", {y, number(name + "/one", 1)}, {}, name + "/raised");
    y = builder_.add("Mul", {x, y}, {}, name + "/doubled");
    return builder_.add("Mul", {y, number(name + "/half", 0.5)}, {}, name);
  }

  ValueId layer(const std::string& name, ValueId x) {
    const ValueId attended = attend(name + "/attention", x);
    x = builder_.add("Add", {attended, x}, {}, name + "/attention/add");
    x = normalise(name + "/attention/norm", x);
    const ValueId inner = gelu(name + "/gelu", linear(name + "/inner", x, kInnerWidth));
    const ValueId outer = linear(name + "/outer", inner, kWidth);
    return normalise(name + "/norm", builder_.add("Add", {outer, x}, {}, name + "/add"));
  }

  ValueId pool(ValueId x) {
    const ValueId first = builder_.add(
        "Gather", {x, builder_.constant("pooler/index", Tensor::scalar<std::int64_t>(0))},
        {{"axis", std::int64_t{1}}}, "pooler/first");
    return builder_.add("Tanh", {linear("pooler/dense", first, kWidth)}, {}, "pooler/tanh");
  }

  Layers& net_;
  Builder& builder_;
  std::int64_t batch_;
  std::int64_t length_;
  ValueId mask_;
};

}  // namespace

void bert_base(Layers& net) { Encoder(net).build(); }

}  // namespace braid::zoo
