#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "rewrite/edit_builder.h"
#include "rewrite/rule.h"

namespace braid {

/// A MatMul or Gemm that multiplies what it reads by a constant matrix: activation(x w + b + r).
struct Product {
  NodeId id;
  ValueId left;    ///< [rows..., depth], of two axes at least
  Tensor weights;  ///< [depth, columns], or [columns, depth] if they are turned
  bool is_turned = false;
  Tensor bias;       ///< [columns]; undefined: none
  ValueId residual;  ///< invalid: none
  bool activated = false;
  std::int64_t depth = 0;
  std::int64_t columns = 0;

  /// The weights [depth, columns], or [columns, depth] if `turned`.
  Tensor weights_as(bool turned) const;
  /// The bias, or zeros promised.
  Tensor bias_or_zeros() const;
  /// Nothing is done to the product but adding the bias.
  bool is_plain() const { return !activated && !residual.valid(); }
};

/// The node as a Product; nothing if it is none: if weights or bias are computed or have other
/// shapes, or a Gemm turns its left side or scales.
std::optional<Product> constant_product(const Graph& graph, NodeId id);

/// Adds the same operator with other inputs, an invalid bias being none: a bare product, plus a
/// bias. The weights are turned as those of `from` are.
ValueId add_product(EditBuilder& build, const Graph& graph, const Product& from,
                    std::vector<ValueId> inputs, std::string name);

/// The axis counted from the front along which a product's result has its columns.
std::int64_t column_axis(const Graph& graph, const Product& product);

/// The sum of the biases of products with as many columns; undefined if none has one.
Tensor sum_of_biases(const std::vector<Product>& products);

/// The anchor and the nodes of a match as products.
std::vector<Product> products_of(const Graph& graph, const Match& match);

}  // namespace braid
