#include <algorithm>

#include "graph/query.h"
#include "ops/shared/epilogue.h"
#include "rewrite/convolution.h"
#include "rewrite/recipe.h"
#include "rewrite/rules/joined_hosts.h"
#include "rewrite/rules/product.h"
#include "rewrite/rules/rules.h"

namespace braid {
namespace {

constexpr std::size_t kMostMergedProducts = 20;

/// The products among these readers, each once, in the order of the graph.
template <class Fits>
std::vector<NodeId> products_among(const Site& site, std::vector<NodeId> readers, Fits fits) {
  std::erase_if(readers, [&](NodeId id) {
    const auto product = constant_product(site.graph, id);
    return !product || !fits(*product);
  });
  std::ranges::sort(readers, {}, [&](NodeId id) { return site.places.position(id); });
  readers.erase(std::ranges::unique(readers).begin(), readers.end());
  return readers;
}

/// Products of the same left side: all, those of one activation, and if there are few all pairs.
/// Each match is found at its first product.
std::vector<Match> find_products_of_one(const Site& site) {
  const Graph& graph = site.graph;
  const auto own = constant_product(graph, site.anchor);
  if (!own) return {};
  const std::vector<NodeId> all =
      products_among(site, graph.value(own->left).consumers,
                     [&](const Product& other) { return other.left == own->left; });
  if (all.size() < 2) return {};
  std::vector<Match> found;
  if (all[0] == site.anchor) found = matches_of_some(all, kMostMergedProducts);
  const auto add = [&](const Match& match) {
    if (std::ranges::find(found, match) == found.end()) found.push_back(match);
  };
  std::vector<NodeId> alike = all;
  std::erase_if(alike, [&](NodeId id) { return !activate_alike(graph, id, site.anchor); });
  if (alike[0] == site.anchor && alike.size() > 1 && alike.size() <= kMostMergedProducts)
    add({.anchor = site.anchor, .nodes = {alike.begin() + 1, alike.end()}});
  if (all.size() == 3 || all.size() == 4)
    for (auto other = std::ranges::find(all, site.anchor) + 1; other != all.end(); ++other)
      add({.anchor = site.anchor, .nodes = {*other}});
  return found;
}

bool merge_columns(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const std::vector<Product> products = products_of(graph, match);
  const bool is_turned = products[0].is_turned;
  std::vector<Tensor> weights;
  std::vector<Tensor> biases;
  std::vector<std::int64_t> lengths;
  bool is_biased = false;
  for (const Product& product : products) {
    weights.push_back(product.weights_as(is_turned));
    biases.push_back(product.bias_or_zeros());
    lengths.push_back(product.columns);
    is_biased |= product.bias.defined();
  }
  EditBuilder build(graph, allowance, edit);
  const std::string name = name_of(graph, match.anchor) + "/merged";
  std::vector<ValueId> inputs = {
      products[0].left,
      build.constant(name + "/weights", joined(std::move(weights), is_turned ? 0 : 1))};
  if (is_biased) inputs.push_back(build.constant(name + "/bias", joined(std::move(biases), 0)));
  hand_out(build, graph, all_nodes(match), add_product(build, graph, products[0], inputs, name),
           lengths, column_axis(graph, products[0]), name);
  return build.affordable();
}

/// Products with the same weights and bias, whose left sides can be put one behind the other: by
/// the first axis, or by the rows of each matrix. All have one level, so that none waits for
/// another. The parameter is the axis.
std::vector<Match> find_products_by_one(const Site& site) {
  const Graph& graph = site.graph;
  const auto own = constant_product(graph, site.anchor);
  if (!own || graph.value(site.node().inputs[1]).consumers.size() < 2) return {};
  const Dims& dims = graph.value(own->left).type.dims;
  const ValueId bias = input_of(site.node(), Epilogue::kBiasInput);
  std::vector<Match> found;
  for (const std::size_t axis : {std::size_t{0}, dims.size() - 2}) {
    const std::vector<NodeId> all = products_among(
        site, graph.value(site.node().inputs[1]).consumers, [&](const Product& other) {
          return other.is_turned == own->is_turned &&
                 input_of(graph.node(other.id), Epilogue::kBiasInput) == bias &&
                 site.places.level(other.id) == site.places.level(site.anchor) &&
                 differ_only_along(graph.value(other.left).type.dims, dims, axis);
        });
    if (all[0] != site.anchor) continue;
    for (Match& match : matches_of_some(all, kMostMergedProducts)) {
      const bool is_known = std::ranges::any_of(
          found, [&](const Match& other) { return other.nodes == match.nodes; });
      match.parameters = {static_cast<std::int64_t>(axis)};
      if (!is_known) found.push_back(std::move(match));
    }
  }
  return found;
}

bool merge_row_blocks(const Graph& graph, const Match& match, Allowance& allowance,
                      GraphEdit& edit) {
  const std::vector<Product> products = products_of(graph, match);
  const std::int64_t axis = match.parameters[0];
  EditBuilder build(graph, allowance, edit);
  const std::string name = name_of(graph, match.anchor) + "/merged";
  std::vector<ValueId> blocks;
  std::vector<std::int64_t> lengths;
  for (const Product& product : products) {
    blocks.push_back(product.left);
    lengths.push_back(graph.value(product.left).type.dims[static_cast<std::size_t>(axis)]);
  }
  const Node& node = graph.node(match.anchor);
  const ValueId rows = build.concat(std::move(blocks), axis, name + "/rows");
  const ValueId made =
      add_product(build, graph, products[0],
                  {rows, node.inputs[1], input_of(node, Epilogue::kBiasInput)}, name);
  hand_out(build, graph, all_nodes(match), made, lengths, axis, name);
  return build.affordable();
}

}  // namespace

SearchedRule merge_products() {
  return {{"merge-products",
           "multiply by several constant matrices at once",
           {"MatMul", "Gemm"},
           find_products_of_one,
           merge_columns},
          "S10",
          "x w1, x w2 = split(x [w1 | w2])"};
}

SearchedRule merge_rows() {
  return {{"merge-rows",
           "multiply several values by the same constant matrix at once",
           {"MatMul", "Gemm"},
           find_products_by_one,
           merge_row_blocks},
          "S10",
          "x1 w, x2 w = split([x1; x2] w)",
          false};
}

}  // namespace braid
