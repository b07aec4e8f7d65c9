#include "graph/query.h"
#include "ops/shared/epilogue.h"
#include "rewrite/convolution.h"
#include "rewrite/recipe.h"
#include "rewrite/rules/product.h"
#include "rewrite/rules/rules.h"

namespace braid {
namespace {

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

}  // namespace braid
