#include <algorithm>

#include "graph/query.h"
#include "ops/shared/epilogue.h"
#include "rewrite/convolution.h"
#include "rewrite/rules/joined_hosts.h"
#include "rewrite/rules/product.h"
#include "rewrite/rules/rules.h"

namespace braid {
namespace {

/// A value whose rows are multiplied, or divided, by a computed number each.
struct ScaledRows {
  ValueId value;
  ValueId numbers;  ///< [..., 1]
};

std::optional<ScaledRows> scaled_rows(const Graph& graph, const Node& node) {
  for (std::size_t side = node.op == "Div" ? 1 : 0; side < 2; ++side) {
    const ScaledRows rows{node.inputs[1 - side], node.inputs[side]};
    const Dims& dims = graph.value(rows.numbers).type.dims;
    if (!dims.empty() && dims.back() == 1 && !graph.is_constant(rows.numbers) &&
        !graph.is_constant(rows.value) &&
        graph.value(rows.value).type == graph.value(node.outputs[0]).type &&
        graph.value(rows.value).type.dims.back() != 1)
      return rows;
  }
  return std::nullopt;
}

/// Scaled rows that only products read.
std::vector<Match> find_products_of_scaled(const Site& site) {
  const Graph& graph = site.graph;
  const ValueId scaled = site.node().outputs[0];
  if (!scaled_rows(graph, site.node()) || graph.is_output(scaled)) return {};
  Match match{.anchor = site.anchor, .nodes = graph.value(scaled).consumers};
  for (const NodeId reader : match.nodes) {
    const auto product = constant_product(graph, reader);
    if (!product || product->left != scaled || product->residual == scaled) return {};
  }
  if (match.nodes.empty()) return {};
  std::ranges::sort(match.nodes, {}, [&](NodeId id) { return site.places.position(id); });
  return {match};
}

bool scale_products(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const Node& scaling = graph.node(match.anchor);
  const ScaledRows rows = *scaled_rows(graph, scaling);
  EditBuilder build(graph, allowance, edit);
  Heirs heirs;
  for (const NodeId id : match.nodes) {
    const Product product = *constant_product(graph, id);
    const Node& node = graph.node(id);
    const std::string name = name_of(graph, id);
    ValueId made = add_product(build, graph, product, {rows.value, node.inputs[1]}, name);
    made = build.add(scaling.op, {made, rows.numbers}, {}, name + "/scaled");
    if (product.bias.defined())
      made = build.add("Add", {made, node.inputs[Epilogue::kBiasInput]}, {}, name + "/biased");
    heirs.emplace_back(node.outputs[0], with_epilogue(build, graph, id, made, heirs));
    build.replace(heirs.back().first, heirs.back().second);
  }
  return build.affordable();
}

}  // namespace

SearchedRule scale_rows_after_product() {
  return {{"scale-rows-after-product",
           "multiply rows by a matrix while the numbers that scale them are still computed",
           {"Mul", "Div"},
           find_products_of_scaled,
           scale_products},
          "S11",
          "(diag(r) x) w = diag(r) (x w)"};
}

}  // namespace braid
