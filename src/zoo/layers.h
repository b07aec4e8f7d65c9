#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"
#include "ops/builder.h"
#include "zoo/moments.h"
#include "zoo/weights.h"

namespace braid::zoo {

/// Height and width; one number means both.
struct Extent {
  std::int64_t height;
  std::int64_t width;

  // NOLINTNEXTLINE(google-explicit-constructor): `.kernel = 3` reads as it is meant.
  constexpr Extent(std::int64_t both) : height(both), width(both) {}
  constexpr Extent(std::int64_t h, std::int64_t w) : height(h), width(w) {}
};

/// Rows and columns around an image; one number means all four, two mean rows and columns.
struct Margins {
  std::int64_t top;
  std::int64_t left;
  std::int64_t bottom;
  std::int64_t right;

  // NOLINTNEXTLINE(google-explicit-constructor): `.pad = 1` reads as it is meant.
  constexpr Margins(std::int64_t all) : Margins(all, all) {}
  constexpr Margins(std::int64_t rows, std::int64_t columns)
      : Margins(rows, columns, rows, columns) {}
  constexpr Margins(std::int64_t t, std::int64_t l, std::int64_t b, std::int64_t r)
      : top(t), left(l), bottom(b), right(r) {}
};

struct ConvShape {
  std::int64_t channels;
  Extent kernel = 1;
  Extent stride = 1;
  Margins pad = 0;
  std::int64_t groups = 1;
};

struct PoolShape {
  Extent kernel = 3;
  Extent stride = 1;
  Margins pad = 0;
  bool ceil_mode = false;
  bool count_include_pad = true;  ///< average pools only
};

/// Adds the layers of a network to a graph, with their weights.
///
/// An untrained network with fixed statistics would drown its input or explode. So Layers follows
/// the mean and variance of every channel (moments.h) and sets the statistics of each
/// BatchNormalization to them, and scales and centres layers that have a bias instead: activations
/// stay near 1, and the part that all inputs have in common does not grow. Shifts are mostly
/// positive, which keeps rectifiers mostly open: a fully centred deep network amplifies rounding
/// errors by a factor in each layer until two correct runs disagree.
///
/// A layer's name is its node's and its output's name; its weights stand below it.
class Layers {
 public:
  Layers(Graph& graph, std::uint64_t seed);

  Graph& graph() { return builder_.graph(); }
  Builder& builder() { return builder_; }
  const Weights& weights() const { return weights_; }
  ValueId input(std::size_t i) { return graph().inputs().at(i); }
  const Dims& dims(ValueId x) const { return builder_.dims(x); }

  /// A convolution without bias: something that normalises follows.
  ValueId conv(const std::string& name, ValueId x, const ConvShape& shape);
  ValueId conv_with_bias(const std::string& name, ValueId x, const ConvShape& shape);
  ValueId batch_norm(const std::string& name, ValueId x, float epsilon);
  ValueId relu(const std::string& name, ValueId x);
  /// Convolution, normalisation, rectifier: name/conv, name/bn, name/relu.
  ValueId conv_bn_relu(const std::string& name, ValueId x, const ConvShape& shape, float epsilon);

  ValueId max_pool(const std::string& name, ValueId x, const PoolShape& shape);
  ValueId average_pool(const std::string& name, ValueId x, const PoolShape& shape);
  ValueId global_average_pool(const std::string& name, ValueId x);
  ValueId flatten(const std::string& name, ValueId x);
  ValueId add(const std::string& name, ValueId a, ValueId b);
  /// Joins values along the channels.
  ValueId concat(const std::string& name, const std::vector<ValueId>& parts);
  /// Adds zeros around the images.
  ValueId pad(const std::string& name, ValueId x, const Margins& margins);
  ValueId drop_first_row_and_column(const std::string& name, ValueId x);

  /// Rows of a table of `shape`, chosen by `indices`; the table's elements have this deviation.
  ValueId embedding(const std::string& name, const Dims& shape, double deviation, ValueId indices);
  /// A fully connected layer on [batch, features].
  ValueId dense(const std::string& name, ValueId x, std::int64_t outputs);
  /// Global average, flatten and a layer of 1000 classes, which becomes the output "logits".
  void classify(ValueId x);

 private:
  Tensor kernels(const std::string& name, ValueId x, const Dims& shape, double deviation);
  ValueId weighted(const std::string& name, ValueId x, const ConvShape& shape, Tensor weight,
                   ValueId bias);
  ValueId pool(const std::string& op, const std::string& name, ValueId x, const PoolShape& shape);
  /// The bias that moves every channel's mean to a small positive number, or to zero.
  Tensor centring_bias(const std::string& name, const Moments& y, double low, double high) const;
  const Moments& moments(ValueId x);
  ValueId with(ValueId y, Moments moments);

  Builder builder_;
  Weights weights_;
  std::unordered_map<ValueId, Moments> moments_;
};

}  // namespace braid::zoo
