#include <algorithm>

#include "graph/query.h"
#include "rewrite/convolution.h"
#include "rewrite/edit_builder.h"
#include "rewrite/rules/activations.h"
#include "rewrite/rules/pool.h"
#include "rewrite/rules/rules.h"

namespace braid {
namespace {

/// Whether the pool takes greatest elements: monotone functions pass it.
bool takes_greatest(const Graph& graph, const Node& node) {
  return is_pool(node) && !is_average(node) && reads_in_every_window(graph, node);
}

ValueId pool_again(EditBuilder& build, const Graph& graph, NodeId pool, ValueId value,
                   const std::string& suffix) {
  const Node& node = graph.node(pool);
  return build.add(node.op, {value}, node.attributes, name_of(graph, pool) + suffix);
}

std::vector<Match> find_activated_pool(const Site& site) {
  const Graph& graph = site.graph;
  if (site.node().inputs.empty() || !site.node().inputs[0].valid()) return {};
  const NodeId pool = graph.value(site.node().inputs[0]).producer;
  if (!pool.valid() || !is_pool(graph.node(pool)) || !is_monotone(site.node())) return {};
  if (!has_single_use(graph, site.node().inputs[0]) || !is_activation(graph, site.anchor) ||
      !takes_greatest(graph, graph.node(pool)))
    return {};
  return {{.anchor = site.anchor, .nodes = {pool}}};
}

bool activate_then_pool(const Graph& graph, const Match& match, Allowance& allowance,
                        GraphEdit& edit) {
  const Node& activation = graph.node(match.anchor);
  EditBuilder build(graph, allowance, edit);
  const ValueId activated =
      activate(build, graph, activation, graph.node(match.nodes[0]).inputs[0]);
  build.replace(activation.outputs[0], pool_again(build, graph, match.nodes[0], activated, ""));
  return build.affordable();
}

std::vector<Match> find_pool_of_activated(const Site& site) {
  const Graph& graph = site.graph;
  const ValueId value = site.node().inputs[0];
  const NodeId maker = graph.value(value).producer;
  if (!maker.valid() || !is_monotone(graph.node(maker)) || !has_single_use(graph, value) ||
      !is_activation(graph, maker) || !takes_greatest(graph, site.node()))
    return {};
  return {{.anchor = site.anchor, .nodes = {maker}}};
}

bool pool_then_activate(const Graph& graph, const Match& match, Allowance& allowance,
                        GraphEdit& edit) {
  const Node& activation = graph.node(match.nodes[0]);
  EditBuilder build(graph, allowance, edit);
  const ValueId pooled = pool_again(build, graph, match.anchor, activation.inputs[0], "");
  build.replace(graph.node(match.anchor).outputs[0], activate(build, graph, activation, pooled));
  return build.affordable();
}

/// Whether a Concat joins images or channels, which pools keep apart.
bool joins_channels(const Graph& graph, const Node& concat) {
  const std::size_t rank = graph.value(concat.outputs[0]).type.dims.size();
  const auto axis = front_axis(concat.attributes.integer("axis", 0), rank);
  return axis && *axis < 2;
}

std::vector<Match> find_pool_of_concat(const Site& site) {
  const Graph& graph = site.graph;
  const NodeId concat = made_by(graph, site.node().inputs[0], "Concat");
  if (!concat.valid() || !is_pool(site.node()) || !joins_channels(graph, graph.node(concat)))
    return {};
  for (const ValueId piece : graph.node(concat).inputs)
    if (graph.is_constant(piece)) return {};
  return {{.anchor = site.anchor, .nodes = {concat}}};
}

bool pool_pieces(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const Node& concat = graph.node(match.nodes[0]);
  EditBuilder build(graph, allowance, edit);
  std::vector<ValueId> pieces;
  for (std::size_t i = 0; i < concat.inputs.size(); ++i)
    pieces.push_back(
        pool_again(build, graph, match.anchor, concat.inputs[i], "/piece_" + std::to_string(i)));
  build.replace(
      graph.node(match.anchor).outputs[0],
      build.add("Concat", std::move(pieces), concat.attributes, name_of(graph, match.nodes[0])));
  return build.affordable();
}

/// Whether both nodes pool in the same way what differs in images and channels at most.
bool pool_alike(const Graph& graph, const Node& a, const Node& b) {
  if (a.op != b.op || a.attributes != b.attributes || b.outputs.size() != 1) return false;
  const TensorType& left = graph.value(a.inputs[0]).type;
  const TensorType& right = graph.value(b.inputs[0]).type;
  return left.element == right.element && left.dims.size() == right.dims.size() &&
         std::equal(left.dims.begin() + 2, left.dims.end(), right.dims.begin() + 2);
}

std::vector<Match> find_concat_of_pools(const Site& site) {
  const Graph& graph = site.graph;
  const std::vector<ValueId>& pieces = site.node().inputs;
  const NodeId first = graph.value(pieces[0]).producer;
  if (pieces.size() < 2 || !first.valid() || !is_pool(graph.node(first)) ||
      !joins_channels(graph, site.node()))
    return {};
  const bool are_alike = std::ranges::all_of(pieces, [&](ValueId piece) {
    const NodeId id = graph.value(piece).producer;
    return id.valid() && has_single_use(graph, piece) &&
           pool_alike(graph, graph.node(first), graph.node(id));
  });
  if (!are_alike) return {};
  return {{.anchor = site.anchor, .nodes = {first}}};
}

bool pool_whole(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const Node& concat = graph.node(match.anchor);
  EditBuilder build(graph, allowance, edit);
  std::vector<ValueId> pieces;
  for (const ValueId piece : concat.inputs)
    pieces.push_back(graph.node(graph.value(piece).producer).inputs[0]);
  const ValueId whole =
      build.add("Concat", std::move(pieces), concat.attributes, name_of(graph, match.anchor));
  build.replace(concat.outputs[0], pool_again(build, graph, match.nodes[0], whole, "/whole"));
  return build.affordable();
}

/// The pool that makes a value, for one reader alone, by means.
NodeId average_for_one(const Graph& graph, ValueId value) {
  const NodeId id = graph.value(value).producer;
  const bool fits = id.valid() && is_average(graph.node(id)) && has_single_use(graph, value);
  return fits ? id : NodeId{};
}

std::vector<Match> find_sum_of_averages(const Site& site) {
  const Graph& graph = site.graph;
  const NodeId left = average_for_one(graph, site.node().inputs[0]);
  if (!left.valid()) return {};
  const NodeId right = average_for_one(graph, site.node().inputs[1]);
  if (!right.valid() || !pool_alike(graph, graph.node(left), graph.node(right)) ||
      graph.value(graph.node(left).inputs[0]).type != graph.value(graph.node(right).inputs[0]).type)
    return {};
  return {{.anchor = site.anchor, .nodes = {left, right}}};
}

bool average_of_sum(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  EditBuilder build(graph, allowance, edit);
  const ValueId sum =
      build.add("Add", {graph.node(match.nodes[0]).inputs[0], graph.node(match.nodes[1]).inputs[0]},
                {}, name_of(graph, match.anchor));
  build.replace(graph.node(match.anchor).outputs[0],
                pool_again(build, graph, match.nodes[0], sum, "/of_sum"));
  return build.affordable();
}

/// A mean of what an Add of two values of its type makes for it alone.
std::vector<Match> find_average_of_sum(const Site& site) {
  const Graph& graph = site.graph;
  const ValueId sum = site.node().inputs[0];
  const NodeId add = made_by(graph, sum, "Add");
  if (!add.valid() || !has_single_use(graph, sum)) return {};
  for (const ValueId operand : graph.node(add).inputs)
    if (graph.is_constant(operand) || graph.value(operand).type != graph.value(sum).type) return {};
  return {{.anchor = site.anchor, .nodes = {add}}};
}

bool sum_of_averages(const Graph& graph, const Match& match, Allowance& allowance,
                     GraphEdit& edit) {
  const Node& add = graph.node(match.nodes[0]);
  EditBuilder build(graph, allowance, edit);
  const ValueId left = pool_again(build, graph, match.anchor, add.inputs[0], "/left");
  const ValueId right = pool_again(build, graph, match.anchor, add.inputs[1], "/right");
  build.replace(graph.node(match.anchor).outputs[0],
                build.add("Add", {left, right}, {}, name_of(graph, match.nodes[0])));
  return build.affordable();
}

}  // namespace

SearchedRule activate_before_pool() {
  return {{"activate-before-pool",
           "apply a monotone activation before the greatest elements are taken",
           {},
           find_activated_pool,
           activate_then_pool},
          "S12",
          "f(max(x)) = max(f(x)) for f monotone"};
}

SearchedRule activate_after_pool() {
  return {{"activate-after-pool",
           "apply a monotone activation after the greatest elements were taken",
           {"MaxPool", "GlobalMaxPool"},
           find_pool_of_activated,
           pool_then_activate},
          "S12",
          "max(f(x)) = f(max(x)) for f monotone"};
}

SearchedRule pool_before_concat() {
  return {{"pool-before-concat",
           "pool the pieces of a concat instead of the whole",
           {"MaxPool", "AveragePool", "GlobalMaxPool", "GlobalAveragePool"},
           find_pool_of_concat,
           pool_pieces},
          "S12",
          "pool(concat(a, b)) = concat(pool(a), pool(b))"};
}

SearchedRule pool_after_concat() {
  return {{"pool-after-concat",
           "pool a concat instead of all its pieces",
           {"Concat"},
           find_concat_of_pools,
           pool_whole},
          "S12",
          "concat(pool(a), pool(b)) = pool(concat(a, b))"};
}

SearchedRule pool_after_add() {
  return {{"pool-after-add",
           "take means of a sum instead of both summands",
           {"Add"},
           find_sum_of_averages,
           average_of_sum},
          "S12",
          "avg(x) + avg(y) = avg(x + y)"};
}

SearchedRule pool_before_add() {
  return {{"pool-before-add",
           "take means of both summands instead of the sum",
           {"AveragePool", "GlobalAveragePool"},
           find_average_of_sum,
           sum_of_averages},
          "S12",
          "avg(x + y) = avg(x) + avg(y)"};
}

}  // namespace braid
