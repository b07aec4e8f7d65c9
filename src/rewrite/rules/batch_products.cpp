#include <algorithm>

#include "graph/query.h"
#include "ops/shared/elements.h"
#include "rewrite/convolution.h"
#include "rewrite/recipe.h"
#include "rewrite/rules/joined_hosts.h"
#include "rewrite/rules/product.h"
#include "rewrite/rules/rules.h"

namespace braid {
namespace {

constexpr std::size_t kMostBatched = 20;

bool can_be_batched_with(const Graph& graph, const Product& own, NodeId id) {
  const auto other = constant_product(graph, id);
  return other && !other->residual.valid() && other->depth == own.depth &&
         other->columns == own.columns && activate_alike(graph, own.id, id) &&
         graph.value(other->left).type == graph.value(own.left).type;
}

/// Products of equal shapes and one level, so that none waits for another, unless there is a
/// simpler way to join them.
std::vector<Match> find_equal_products(const Site& site) {
  const Graph& graph = site.graph;
  const auto own = constant_product(graph, site.anchor);
  if (!own || own->residual.valid()) return {};
  std::vector<NodeId> alike;
  bool is_same_left = true;
  bool is_same_weight = true;
  for (const NodeId id : site.places.at_level(site.places.level(site.anchor))) {
    if (!graph.alive(id) || !can_be_batched_with(graph, *own, id)) continue;
    if (alike.empty() && id != site.anchor) return {};
    alike.push_back(id);
    is_same_left &= graph.node(id).inputs[0] == site.node().inputs[0];
    is_same_weight &= graph.node(id).inputs[1] == site.node().inputs[1];
  }
  if (is_same_left || is_same_weight) return {};
  return matches_of_some(alike, kMostBatched);
}

ValueId reshape_to(EditBuilder& build, ValueId value, const Dims& dims, const std::string& name) {
  return build.add("Reshape", {value, build.integers(name + "/shape", dims)}, {}, name);
}

bool multiply_as_batch(const Graph& graph, const Match& match, Allowance& allowance,
                       GraphEdit& edit) {
  const std::vector<Product> products = products_of(graph, match);
  const Product& first = products[0];
  const std::string name = name_of(graph, match.anchor) + "/batch";
  std::vector<ValueId> lefts;
  std::vector<Tensor> weights;
  std::vector<Tensor> biases;
  bool is_biased = false;
  for (const Product& product : products) {
    lefts.push_back(product.left);
    weights.push_back(reshaped(product.weights_as(false), {1, first.depth, first.columns}));
    biases.push_back(reshaped(product.bias_or_zeros(), {1, 1, first.columns}));
    is_biased |= product.bias.defined();
  }
  EditBuilder build(graph, allowance, edit);
  const Dims one = graph.value(first.left).type.dims;
  const std::int64_t count = std::ssize(products);
  ValueId made = build.concat(std::move(lefts), 0, name + "/lefts");
  made = reshape_to(build, made, {count, element_count(one) / first.depth, first.depth},
                    name + "/matrices");
  made = build.add(
      "MatMul", {made, build.constant(name + "/weights", joined(std::move(weights), 0))}, {}, name);
  if (is_biased)
    made = build.add("Add", {made, build.constant(name + "/bias", joined(std::move(biases), 0))},
                     {}, name + "/biased");
  made = add_activation(build, graph.node(match.anchor), made, name + "/activation");
  Dims all = one;
  all[0] *= count;
  all.back() = first.columns;
  made = reshape_to(build, made, all, name + "/rows");
  const std::vector<ValueId> pieces =
      build.split(made, std::vector<std::int64_t>(products.size(), one[0]), 0, name + "/pieces");
  for (std::size_t i = 0; i < products.size(); ++i)
    build.replace(graph.node(products[i].id).outputs[0], pieces[i]);
  return build.affordable();
}

/// The product whose columns a Transpose of a Reshape makes into heads: [B,S,h d] into [B,h,S,d].
std::optional<Product> product_of_heads(const Graph& graph, const Node& transpose) {
  if (transpose.attributes.integers("perm") != std::vector<std::int64_t>{0, 2, 1, 3})
    return std::nullopt;
  const NodeId reshape = graph.value(transpose.inputs[0]).producer;
  if (!reshape.valid() || !only_renames_dims(graph.node(reshape))) return std::nullopt;
  const ValueId result = graph.node(reshape).inputs[0];
  const Dims& dims = graph.value(result).type.dims;
  const Dims& heads = graph.value(transpose.inputs[0]).type.dims;
  if (dims.size() != 3 || heads.size() != 4 || heads[0] != dims[0] || heads[1] != dims[1])
    return std::nullopt;
  auto product = constant_product(graph, graph.value(result).producer);
  if (!product || product->residual.valid()) return std::nullopt;
  return product;
}

std::vector<Match> find_product_of_heads(const Site& site) {
  const Graph& graph = site.graph;
  const ValueId reshaped_value = site.node().inputs[0];
  if (!has_single_use(graph, reshaped_value)) return {};
  const auto product = product_of_heads(graph, site.node());
  if (!product || !has_single_use(graph, graph.node(product->id).outputs[0])) return {};
  return {{.anchor = site.anchor, .nodes = {product->id}}};
}

bool multiply_heads(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const Node& transpose = graph.node(match.anchor);
  const Product product = *constant_product(graph, match.nodes[0]);
  const Dims& dims = graph.value(transpose.inputs[0]).type.dims;
  const std::int64_t heads = dims[2];
  const std::int64_t width = dims[3];
  const std::string name = name_of(graph, match.nodes[0]);
  EditBuilder build(graph, allowance, edit);
  const ValueId left = build.add("Unsqueeze", {product.left, build.integers(name + "/axes", {1})},
                                 {}, name + "/left");
  const Tensor by_head = transposed(
      reshaped(product.weights_as(false), {1, product.depth, heads, width}), {0, 2, 1, 3});
  ValueId made = build.add("MatMul", {left, build.constant(name + "/weights", by_head)}, {}, name);
  if (product.bias.defined())
    made = build.add(
        "Add", {made, build.constant(name + "/bias", reshaped(product.bias, {1, heads, 1, width}))},
        {}, name + "/biased");
  build.replace(transpose.outputs[0],
                add_activation(build, graph.node(match.nodes[0]), made, name + "/activation"));
  return build.affordable();
}

}  // namespace

SearchedRule batch_products() {
  return {{"batch-products",
           "make products of equal shapes one product of a batch",
           {"MatMul", "Gemm"},
           find_equal_products,
           multiply_as_batch},
          "S10",
          "x1 w1, x2 w2 = split(batch(x1, x2) batch(w1, w2))",
          false};
}

SearchedRule heads_as_batch() {
  return {{"heads-as-batch",
           "multiply for each head of an attention, instead of moving heads apart afterwards",
           {"Transpose"},
           find_product_of_heads,
           multiply_heads},
          "S10",
          "transpose(reshape(x w + b)) = x [w of each head] + [b of each head]"};
}

}  // namespace braid
