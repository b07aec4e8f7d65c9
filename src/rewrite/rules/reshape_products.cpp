#include "graph/query.h"
#include "ops/shared/epilogue.h"
#include "rewrite/recipe.h"
#include "rewrite/rules/convolution.h"
#include "rewrite/rules/product.h"
#include "rewrite/rules/rules.h"

namespace braid {
namespace {

/// Columns that each part of a product keeps at least: fewer make poor use of any device.
constexpr std::int64_t kFewestColumns = 16;

/// The product whose result this one alone multiplies, if multiplying both weights before makes
/// less work.
std::optional<Product> inner_product(const Graph& graph, const Product& outer) {
  if (!has_single_use(graph, outer.left)) return std::nullopt;
  auto inner = constant_product(graph, graph.value(outer.left).producer);
  if (!inner || !inner->is_plain()) return std::nullopt;
  const std::int64_t apart = inner->columns * (inner->depth + outer.columns);
  if (inner->depth * outer.columns >= apart) return std::nullopt;
  return inner;
}

std::vector<Match> find_row_of_products(const Site& site) {
  const auto outer = constant_product(site.graph, site.anchor);
  if (!outer) return {};
  const auto inner = inner_product(site.graph, *outer);
  if (!inner) return {};
  return {{.anchor = site.anchor, .nodes = {inner->id}}};
}

bool multiply_weights(const Graph& graph, const Match& match, Allowance& allowance,
                      GraphEdit& edit) {
  const Product outer = *constant_product(graph, match.anchor);
  const Product inner = *constant_product(graph, match.nodes[0]);
  const double work = 2.0 * static_cast<double>(inner.depth) * static_cast<double>(inner.columns) *
                      static_cast<double>(outer.columns);
  if (!allowance.spend(0, work)) return false;
  EditBuilder build(graph, allowance, edit);
  const std::string name = name_of(graph, match.anchor);
  const Tensor right = outer.weights_as(false);
  Tensor weights = promised_result("MatMul", {inner.weights_as(false), right});
  if (outer.is_turned) weights = transposed(weights, {1, 0});
  Tensor bias = outer.bias;
  if (inner.bias.defined()) {
    const Tensor handed_on = promised_result("MatMul", {inner.bias, right});
    bias = bias.defined() ? sum(bias, handed_on) : handed_on;
  }
  std::vector<ValueId> inputs = {inner.left, build.constant(name + "/weights", weights)};
  if (bias.defined()) inputs.push_back(build.constant(name + "/bias", bias));
  ValueId made = add_product(build, graph, outer, inputs, name);
  if (outer.residual.valid()) made = build.add("Add", {made, outer.residual}, {}, name + "/sum");
  const Node& node = graph.node(match.anchor);
  build.replace(node.outputs[0], add_activation(build, node, made, name + "/activation"));
  return build.affordable();
}

/// The parameter is the number of parts.
std::vector<Match> find_cut_columns(const Site& site) {
  const auto product = constant_product(site.graph, site.anchor);
  if (!product || product->residual.valid()) return {};
  std::vector<Match> found;
  for (const std::int64_t parts : {2, 4})
    if (product->columns % parts == 0 && product->columns / parts >= kFewestColumns)
      found.push_back({.anchor = site.anchor, .parameters = {parts}});
  return found;
}

bool cut_columns(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const Product product = *constant_product(graph, match.anchor);
  const Node& node = graph.node(match.anchor);
  const std::int64_t parts = match.parameters[0];
  const std::int64_t columns = product.columns / parts;
  EditBuilder build(graph, allowance, edit);
  std::vector<ValueId> made;
  for (std::int64_t i = 0; i < parts; ++i) {
    const std::string name = name_of(graph, match.anchor) + "/part_" + std::to_string(i);
    const std::int64_t begin = i * columns;
    std::vector<ValueId> inputs = {
        product.left,
        build.constant(name + "/weights",
                       sliced(product.weights, product.is_turned ? 0 : 1, begin, begin + columns))};
    if (product.bias.defined())
      inputs.push_back(
          build.constant(name + "/bias", sliced(product.bias, 0, begin, begin + columns)));
    made.push_back(add_activation(build, node, add_product(build, graph, product, inputs, name),
                                  name + "/activation"));
  }
  build.replace(node.outputs[0], build.concat(std::move(made), column_axis(graph, product),
                                              name_of(graph, match.anchor)));
  return build.affordable();
}

}  // namespace

SearchedRule associate_products() {
  return {{"associate-products",
           "multiply two constant matrices before what they multiply, where that is less work",
           {"MatMul", "Gemm"},
           find_row_of_products,
           multiply_weights},
          "S10",
          "(x w1 + b1) w2 + b2 = x (w1 w2) + (b1 w2 + b2)"};
}

SearchedRule cut_product() {
  return {{"cut-product",
           "make a product in parts of its columns",
           {"MatMul", "Gemm"},
           find_cut_columns,
           cut_columns},
          "S13",
          "x [w1 | w2] = concat(x w1, x w2)"};
}

}  // namespace braid
