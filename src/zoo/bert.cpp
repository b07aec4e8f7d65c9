#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "zoo/layers.h"
#include "zoo/networks.h"
#include "zoo/token_layers.h"

// Devlin et al., "BERT", the base size with pooler, in the operators that exporters write. The mask
// is a boolean input that each layer applies to its scores, so that nothing runs beside the three
// projections.

namespace braid::zoo {
namespace {

constexpr std::int64_t kWidth = 768;
constexpr HeadShape kHeads{.count = 12, .width = kWidth / 12};
constexpr std::int64_t kInnerWidth = 3072;
constexpr std::int64_t kVocabulary = 30522;
constexpr std::int64_t kPositions = 512;
constexpr std::int64_t kTokenTypes = 2;
constexpr int kLayerCount = 12;

class BertEncoder {
 public:
  explicit BertEncoder(Layers& net)
      : net_(net), builder_(net.builder()), length_(net.dims(net.input(0))[1]) {}

  void build() {
    mask_ = mask_of_scores(net_, net_.input(1));
    ValueId x = embed(net_.input(0), net_.input(2));
    for (int i = 0; i < kLayerCount; ++i) x = layer(fmt::format("layer_{}", i), x);
    net_.graph().add_output(x, "last_hidden_state");
    net_.graph().add_output(pool(x), "pooler_output");
  }

 private:
  ValueId embed(ValueId tokens, ValueId types) {
    std::vector<std::int64_t> counted(static_cast<std::size_t>(length_));
    for (std::size_t i = 0; i < counted.size(); ++i) counted[i] = static_cast<std::int64_t>(i);
    const ValueId positions = builder_.constant(
        "positions",
        Tensor::of<std::int64_t>({1, length_}, std::span<const std::int64_t>(counted)));
    const ValueId word = net_.embedding("embeddings/word", {kVocabulary, kWidth}, 1.0, tokens);
    const ValueId type = net_.embedding("embeddings/token_type", {kTokenTypes, kWidth}, 0.3, types);
    const ValueId position =
        net_.embedding("embeddings/position", {kPositions, kWidth}, 0.3, positions);
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
    const ValueId product =
        builder_.add("MatMul", {x, matrix(net_, name, x, outputs, gain)}, {}, name + "/product");
    const Tensor bias = net_.weights().uniform(name + "/bias", {outputs}, -0.2, 0.2);
    return builder_.add("Add", {product, builder_.constant(name + "/bias", bias)}, {}, name);
  }

  ValueId attend(const std::string& name, ValueId x) {
    const auto projected = [&](const std::string& what, double gain,
                               std::vector<std::int64_t> axes) {
      const ValueId y = linear(name + what, x, kWidth, gain);
      return split_heads(net_, name + what + "/heads", y, kHeads, std::move(axes));
    };
    const ValueId q = projected("/query", 1.25, {0, 2, 1, 3});
    const ValueId k = projected("/key", 1.25, {0, 2, 3, 1});
    const ValueId v = projected("/value", 1, {0, 2, 1, 3});
    ValueId scores = builder_.add("MatMul", {q, k}, {}, name + "/scores");
    const ValueId scale =
        number(net_, name + "/scale", std::sqrt(static_cast<double>(kHeads.width)));
    scores = builder_.add("Div", {scores, scale}, {}, name + "/scaled");
    const ValueId never = number(net_, name + "/never", -1e4);
    scores = builder_.add("Where", {mask_, scores, never}, {}, name + "/masked");
    const ValueId shares =
        builder_.add("Softmax", {scores}, {{"axis", std::int64_t{-1}}}, name + "/softmax");
    const ValueId context = join_heads(net_, name + "/context",
                                       builder_.add("MatMul", {shares, v}, {}, name + "/context"));
    return linear(name + "/output", context, kWidth, kAttentionGain);
  }

  /// x * 0.5 * (1 + erf(x / sqrt 2)): opset 17 has no Gelu.
  ValueId gelu(const std::string& name, ValueId x) {
    ValueId y = builder_.add("Div", {x, number(net_, name + "/sqrt2", std::numbers::sqrt2)}, {},
                             name + "/scaled");
    y = builder_.add("Erf", {y}, {}, name + "/erf");
    y = builder_.add("Add", {y, number(net_, name + "/one", 1)}, {}, name + "/raised");
    y = builder_.add("Mul", {x, y}, {}, name + "/doubled");
    return builder_.add("Mul", {y, number(net_, name + "/half", 0.5)}, {}, name);
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
  std::int64_t length_;
  ValueId mask_;
};

}  // namespace

void bert_base(Layers& net) { BertEncoder(net).build(); }

}  // namespace braid::zoo
