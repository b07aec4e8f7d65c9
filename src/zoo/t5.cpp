#include <string>
#include <vector>

#include <fmt/format.h>

#include "zoo/layers.h"
#include "zoo/networks.h"
#include "zoo/token_layers.h"

// Raffel et al., "Exploring the Limits of Transfer Learning with a Unified Text-to-Text
// Transformer": the encoder of the small size, in the operators that exporters write. All layers
// add the same biases to their scores: a number per head and bucket of distances, and the mask.

namespace braid::zoo {
namespace {

constexpr std::int64_t kT5Width = 512;
constexpr HeadShape kT5Heads{.count = 8, .width = 64};
constexpr std::int64_t kT5InnerWidth = 2048;
constexpr std::int64_t kT5Vocabulary = 32128;
constexpr int kT5LayerCount = 6;
constexpr std::int64_t kBuckets = 32;

/// The bucket of a key `distance` tokens after its query. One half of the buckets is for keys up to
/// the query, the other for later ones. In each half the first eight hold one distance each, the
/// others grow by a factor of sqrt 2, and the last one also takes all that is further away.
std::int64_t bucket_of(std::int64_t distance) {
  constexpr std::int64_t half = kBuckets / 2;
  constexpr std::int64_t exact = half / 2;
  const std::int64_t first = distance > 0 ? half : 0;
  const std::int64_t far = distance < 0 ? -distance : distance;
  if (far < exact) return first + far;
  std::int64_t bucket = exact;
  while (bucket + 1 < half && far * far >= exact * exact << (bucket + 1 - exact)) ++bucket;
  return first + bucket;
}

class T5Encoder {
 public:
  explicit T5Encoder(Layers& net)
      : net_(net), builder_(net.builder()), length_(net.dims(net.input(0))[1]) {}

  void build() {
    score_biases_ = biases_of_scores();
    ValueId x = net_.embedding("embeddings", {kT5Vocabulary, kT5Width}, 1.0, net_.input(0));
    for (int i = 0; i < kT5LayerCount; ++i) x = layer(fmt::format("layer_{}", i), x);
    net_.graph().add_output(normalise("norm", x), "last_hidden_state");
  }

 private:
  ValueId buckets() {
    std::vector<std::int64_t> buckets;
    for (std::int64_t query = 0; query < length_; ++query)
      for (std::int64_t key = 0; key < length_; ++key) buckets.push_back(bucket_of(key - query));
    return builder_.constant(
        "positions/buckets",
        Tensor::of<std::int64_t>({length_, length_}, std::span<const std::int64_t>(buckets)));
  }

  /// [batch, heads, length, length].
  ValueId biases_of_scores() {
    const ValueId by_distance =
        net_.embedding("positions", {kBuckets, kT5Heads.count}, 0.5, buckets());
    ValueId positions =
        builder_.add("Transpose", {by_distance}, {{"perm", std::vector<std::int64_t>{2, 0, 1}}},
                     "positions/heads");
    positions = builder_.add("Unsqueeze", {positions, builder_.integers("positions/axes", {0})}, {},
                             "positions/batch");
    const ValueId mask =
        builder_.add("Where",
                     {mask_of_scores(net_, net_.input(1)), number(net_, "mask/counts", 0),
                      number(net_, "mask/never", -1e4)},
                     {}, "mask/bias");
    return builder_.add("Add", {positions, mask}, {}, "score_biases");
  }

  /// x divided by the root of the mean of its squares, as exporters take it apart.
  ValueId normalise(const std::string& name, ValueId x) {
    ValueId y = builder_.add("Pow", {x, number(net_, name + "/two", 2)}, {}, name + "/square");
    y = builder_.add("ReduceMean", {y, builder_.integers(name + "/axes", {-1})},
                     {{"keepdims", std::int64_t{1}}}, name + "/mean");
    y = builder_.add("Add", {y, number(net_, name + "/epsilon", 1e-6)}, {}, name + "/raised");
    y = builder_.add("Sqrt", {y}, {}, name + "/root");
    y = builder_.add("Div", {x, y}, {}, name + "/divided");
    const Tensor gamma = net_.weights().uniform(name + "/gamma", {kT5Width}, 0.8, 1.2);
    return builder_.add("Mul", {builder_.constant(name + "/gamma", gamma), y}, {}, name);
  }

  ValueId linear(const std::string& name, ValueId x, std::int64_t outputs, double gain = 1) {
    return builder_.add("MatMul", {x, matrix(net_, name, x, outputs, gain)}, {}, name);
  }

  ValueId attend(const std::string& name, ValueId x) {
    const auto projected = [&](const std::string& what, double gain,
                               std::vector<std::int64_t> axes) {
      const ValueId y = linear(name + what, x, kT5Heads.count * kT5Heads.width, gain);
      return split_heads(net_, name + what + "/heads", y, kT5Heads, std::move(axes));
    };
    // Nothing divides the scores by the root of a head's width: queries are smaller instead.
    const ValueId q = projected("/query", 1.25 / 8, {0, 2, 1, 3});
    const ValueId k = projected("/key", 1.25, {0, 2, 3, 1});
    const ValueId v = projected("/value", 1, {0, 2, 1, 3});
    ValueId scores = builder_.add("MatMul", {q, k}, {}, name + "/scores");
    scores = builder_.add("Add", {scores, score_biases_}, {}, name + "/biased");
    const ValueId shares =
        builder_.add("Softmax", {scores}, {{"axis", std::int64_t{-1}}}, name + "/softmax");
    const ValueId context = join_heads(net_, name + "/context",
                                       builder_.add("MatMul", {shares, v}, {}, name + "/context"));
    return linear(name + "/output", context, kT5Width, kAttentionGain);
  }

  ValueId layer(const std::string& name, ValueId x) {
    const ValueId attended = attend(name + "/attention", normalise(name + "/attention/norm", x));
    x = builder_.add("Add", {x, attended}, {}, name + "/attention/add");
    ValueId y = linear(name + "/inner", normalise(name + "/norm", x), kT5InnerWidth);
    y = builder_.add("Relu", {y}, {}, name + "/relu");
    y = linear(name + "/outer", y, kT5Width);
    return builder_.add("Add", {x, y}, {}, name + "/add");
  }

  Layers& net_;
  Builder& builder_;
  std::int64_t length_;
  ValueId score_biases_;
};

}  // namespace

void t5_small_encoder(Layers& net) { T5Encoder(net).build(); }

}  // namespace braid::zoo
