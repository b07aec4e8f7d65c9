#include "rewrite/rules/product.h"

#include <algorithm>

#include "graph/query.h"
#include "ops/shared/epilogue.h"
#include "rewrite/canonical/host.h"
#include "rewrite/convolution.h"
#include "rewrite/recipe.h"

namespace braid {
namespace {

bool is_unscaled(const Attributes& attributes) {
  return attributes.integer("transA", 0) == 0 && attributes.real("alpha", 1) == 1 &&
         attributes.real("beta", 1) == 1;
}

}  // namespace

Tensor Product::weights_as(bool turned) const {
  return turned == is_turned ? weights : transposed(weights, {1, 0});
}

Tensor Product::bias_or_zeros() const {
  if (bias.defined()) return bias;
  const TensorType type{weights.element(), {columns}};
  return Tensor::promised(type, [type] { return Tensor::zeros(type); });
}

std::optional<Product> constant_product(const Graph& graph, NodeId id) {
  if (!id.valid()) return std::nullopt;
  const Node& node = graph.node(id);
  if (node.op != "MatMul" && node.op != "Gemm") return std::nullopt;
  const Tensor* weights = constant_input(graph, node, 1);
  if (weights == nullptr || weights->dims().size() != 2 || graph.is_constant(node.inputs[0]) ||
      graph.value(node.inputs[0]).type.dims.size() < 2 || !is_unscaled(node.attributes))
    return std::nullopt;
  Product product;
  product.id = id;
  product.left = node.inputs[0];
  product.weights = *weights;
  product.is_turned = node.attributes.integer("transB", 0) != 0;
  product.depth = weights->dims()[product.is_turned ? 1 : 0];
  product.columns = weights->dims()[product.is_turned ? 0 : 1];
  if (input_of(node, Epilogue::kBiasInput).valid()) {
    const Tensor* bias = constant_input(graph, node, Epilogue::kBiasInput);
    if (bias == nullptr || bias->dims() != Dims{product.columns}) return std::nullopt;
    product.bias = *bias;
  }
  product.residual = input_of(node, Epilogue::kResidualInput);
  product.activated = has_activation(node);
  return product;
}

ValueId add_product(EditBuilder& build, const Graph& graph, const Product& from,
                    std::vector<ValueId> inputs, std::string name) {
  Node node;
  node.op = graph.node(from.id).op;
  node.attributes = graph.node(from.id).attributes;
  for (const std::string_view own : kActivationAttributes) node.attributes.erase(own);
  node.inputs = std::move(inputs);
  node.name = std::move(name);
  trim_inputs(node);
  return build.add_node(std::move(node))[0];
}

std::int64_t column_axis(const Graph& graph, const Product& product) {
  return std::ssize(graph.value(product.left).type.dims) - 1;
}

Tensor sum_of_biases(const std::vector<Product>& products) {
  Tensor total;
  for (const Product& product : products)
    if (product.bias.defined()) total = total.defined() ? sum(total, product.bias) : product.bias;
  return total;
}

std::vector<Product> products_of(const Graph& graph, const Match& match) {
  std::vector<Product> products = {*constant_product(graph, match.anchor)};
  for (const NodeId id : match.nodes) products.push_back(*constant_product(graph, id));
  return products;
}

}  // namespace braid
