#include <algorithm>
#include <utility>

#include "graph/query.h"
#include "ops/shared/epilogue.h"
#include "rewrite/convolution.h"
#include "rewrite/recipe.h"
#include "rewrite/rules/product.h"
#include "rewrite/rules/rules.h"

namespace braid {
namespace {

/// Two products that are added: by an Add, or by one of them whose residual the other is. Then the
/// activation is that one's.
struct ProductSum {
  Product first;
  Product second;
  ValueId result;
};

/// The product that makes the value, for one reader alone, without an activation.
std::optional<Product> summand(const Graph& graph, ValueId value) {
  if (!value.valid() || !has_single_use(graph, value)) return std::nullopt;
  auto product = constant_product(graph, graph.value(value).producer);
  if (!product || product->activated) return std::nullopt;
  return product;
}

std::optional<ProductSum> product_sum(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  std::optional<Product> first;
  std::optional<Product> second;
  if (node.op == "Add") {
    first = summand(graph, node.inputs[0]);
    if (first) second = summand(graph, node.inputs[1]);
  } else {
    second = summand(graph, input_of(node, Epilogue::kResidualInput));
    if (second) first = constant_product(graph, id);
  }
  if (!first || !second || first->columns != second->columns) return std::nullopt;
  return ProductSum{std::move(*first), std::move(*second), node.outputs[0]};
}

/// Whether the dimensions are the same but for the last one.
bool have_same_rows(const Graph& graph, const ProductSum& sum) {
  const Dims& a = graph.value(sum.first.left).type.dims;
  const Dims& b = graph.value(sum.second.left).type.dims;
  return a.size() == b.size() && std::equal(a.begin(), a.end() - 1, b.begin());
}

/// Adds one product for both, and behind it what each of them added to its own.
bool replace_sum(EditBuilder& build, const Graph& graph, NodeId anchor, const ProductSum& sum,
                 ValueId left, Tensor weights) {
  const std::string name = name_of(graph, sum.first.id);
  std::vector<ValueId> inputs = {left, build.constant(name + "/weights", std::move(weights))};
  if (Tensor bias = sum_of_biases({sum.first, sum.second}); bias.defined())
    inputs.push_back(build.constant(name + "/bias", std::move(bias)));
  ValueId made = add_product(build, graph, sum.first, inputs, name);
  const Node& node = graph.node(anchor);
  if (node.op == "Add" && sum.first.residual.valid())
    made = build.add("Add", {made, sum.first.residual}, {}, name + "/sum");
  if (sum.second.residual.valid())
    made =
        build.add("Add", {made, sum.second.residual}, {}, name_of(graph, sum.second.id) + "/sum");
  if (node.op != "Add") made = add_activation(build, node, made, name + "/activation");
  build.replace(sum.result, made);
  return build.affordable();
}

std::vector<Match> find_joinable_sum(const Site& site) {
  const auto sum = product_sum(site.graph, site.anchor);
  if (!sum || sum->first.left == sum->second.left || !have_same_rows(site.graph, *sum)) return {};
  return {{.anchor = site.anchor, .nodes = {sum->first.id, sum->second.id}}};
}

bool join_depths(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const ProductSum sum = *product_sum(graph, match.anchor);
  const bool is_turned = sum.first.is_turned;
  EditBuilder build(graph, allowance, edit);
  const ValueId left =
      build.concat({sum.first.left, sum.second.left}, column_axis(graph, sum.first),
                   name_of(graph, sum.first.id) + "/depth");
  return replace_sum(
      build, graph, match.anchor, sum, left,
      joined({sum.first.weights, sum.second.weights_as(is_turned)}, is_turned ? 1 : 0));
}

std::vector<Match> find_sum_of_one(const Site& site) {
  const auto sum = product_sum(site.graph, site.anchor);
  if (!sum || sum->first.left != sum->second.left) return {};
  return {{.anchor = site.anchor, .nodes = {sum->first.id, sum->second.id}}};
}

bool add_weights(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const ProductSum both = *product_sum(graph, match.anchor);
  EditBuilder build(graph, allowance, edit);
  return replace_sum(build, graph, match.anchor, both, both.first.left,
                     sum(both.first.weights, both.second.weights_as(both.first.is_turned)));
}

std::vector<Match> find_sum_by_one(const Site& site) {
  const Graph& graph = site.graph;
  const auto sum = product_sum(graph, site.anchor);
  if (!sum || graph.node(sum->first.id).inputs[1] != graph.node(sum->second.id).inputs[1] ||
      sum->first.is_turned != sum->second.is_turned || !have_same_rows(graph, *sum))
    return {};
  return {{.anchor = site.anchor, .nodes = {sum->first.id, sum->second.id}}};
}

bool add_lefts(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const ProductSum both = *product_sum(graph, match.anchor);
  EditBuilder build(graph, allowance, edit);
  const ValueId left = build.add("Add", {both.first.left, both.second.left}, {},
                                 name_of(graph, both.first.id) + "/left");
  return replace_sum(build, graph, match.anchor, both, left, both.first.weights);
}

/// Products of a Concat along their depth, one piece of which comes later than the others are
/// joined. The parameter is that piece, which gets a product of its own.
std::vector<Match> find_late_piece(const Site& site) {
  const Graph& graph = site.graph;
  const NodeId concat = made_by(graph, site.node().inputs[0], "Concat");
  if (!concat.valid()) return {};
  const auto product = constant_product(graph, site.anchor);
  const Node& joint = graph.node(concat);
  if (!product || front_axis(joint.attributes.integer("axis", 0),
                             graph.value(product->left).type.dims.size()) !=
                      static_cast<std::size_t>(column_axis(graph, *product)))
    return {};
  std::vector<int> levels;
  for (const ValueId piece : joint.inputs) {
    if (graph.is_constant(piece)) return {};
    levels.push_back(site.places.level(piece));
  }
  const auto latest = std::ranges::max_element(levels);
  const std::int64_t piece = latest - levels.begin();
  const int level = std::exchange(*latest, 0);
  const int joining = levels.size() > 2 ? 1 : 0;
  if (levels.size() < 2 || *std::ranges::max_element(levels) + joining >= level) return {};
  return {{.anchor = site.anchor, .nodes = {concat}, .parameters = {piece}}};
}

bool multiply_late_piece(const Graph& graph, const Match& match, Allowance& allowance,
                         GraphEdit& edit) {
  const Product product = *constant_product(graph, match.anchor);
  const Node& node = graph.node(match.anchor);
  const std::int64_t axis = column_axis(graph, product);
  const std::int64_t depth_axis = product.is_turned ? 1 : 0;
  const std::string name = name_of(graph, match.anchor);
  EditBuilder build(graph, allowance, edit);
  std::vector<ValueId> early;
  std::vector<Tensor> early_weights;
  ValueId late;
  Tensor late_weights;
  std::int64_t begin = 0;
  const std::vector<ValueId>& pieces = graph.node(match.nodes[0]).inputs;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::int64_t end = begin + graph.value(pieces[i]).type.dims.back();
    Tensor weights = sliced(product.weights, depth_axis, begin, end);
    begin = end;
    if (static_cast<std::int64_t>(i) == match.parameters[0]) {
      late = pieces[i];
      late_weights = std::move(weights);
    } else {
      early.push_back(pieces[i]);
      early_weights.push_back(std::move(weights));
    }
  }
  const ValueId first = add_product(
      build, graph, product,
      {build.concat(std::move(early), axis, name + "/early_pieces"),
       build.constant(name + "/early/weights", joined(std::move(early_weights), depth_axis)),
       input_of(node, Epilogue::kBiasInput)},
      name + "/early");
  ValueId sum =
      add_product(build, graph, product,
                  {late, build.constant(name + "/weights", std::move(late_weights))}, name);
  if (product.residual.valid())
    sum = build.add("Add",
                    {build.add("Add", {first, product.residual}, {}, name + "/early_sum"), sum}, {},
                    name + "/sum");
  else
    sum = build.add("Add", {first, sum}, {}, name + "/sum");
  build.replace(node.outputs[0], add_activation(build, node, sum, name + "/activation"));
  return build.affordable();
}

}  // namespace

SearchedRule join_sum_of_products() {
  return {{"join-sum-of-products",
           "add two products in one of greater depth",
           {"Add", "MatMul", "Gemm"},
           find_joinable_sum,
           join_depths},
          "S10",
          "x1 w1 + x2 w2 = [x1 | x2] [w1; w2]"};
}

SearchedRule add_weights_of_products() {
  return {{"add-weights-of-products",
           "add the weights of two products of the same value that are added",
           {"Add", "MatMul", "Gemm"},
           find_sum_of_one,
           add_weights},
          "S10",
          "x w1 + x w2 = x (w1 + w2)"};
}

SearchedRule add_before_product() {
  return {{"add-before-product",
           "add two values before they are multiplied by the same weights, not after",
           {"Add", "MatMul", "Gemm"},
           find_sum_by_one,
           add_lefts},
          "S10",
          "x1 w + x2 w = (x1 + x2) w"};
}

SearchedRule multiply_late_piece_alone() {
  return {{"multiply-late-piece-alone",
           "multiply the last piece of a concat alone, and the others ahead of it",
           {"MatMul", "Gemm"},
           find_late_piece,
           multiply_late_piece},
          "S10",
          "[x1 | x2] [w1; w2] = x2 w2 + x1 w1"};
}

}  // namespace braid
