#include <algorithm>

#include "graph/query.h"
#include "ops/cast.h"
#include "rewrite/convolution.h"
#include "rewrite/edit_builder.h"
#include "rewrite/recipe.h"
#include "rewrite/rules/rules.h"
#include "tensor/element.h"

namespace braid {
namespace {

/// The Mul that makes a value, for one reader alone.
NodeId product_for_one(const Graph& graph, ValueId value) {
  const NodeId id = made_by(graph, value, "Mul");
  return id.valid() && has_single_use(graph, value) ? id : NodeId{};
}

/// a b + a c or a b - a c, where b and c have one type. The values are a, b and c.
std::vector<Match> find_common_factor(const Site& site) {
  const Graph& graph = site.graph;
  const NodeId left = product_for_one(graph, site.node().inputs[0]);
  if (!left.valid()) return {};
  const NodeId right = product_for_one(graph, site.node().inputs[1]);
  if (!right.valid()) return {};
  std::vector<Match> found;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 2; ++j) {
      const ValueId factor = graph.node(left).inputs[i];
      const ValueId b = graph.node(left).inputs[1 - i];
      const ValueId c = graph.node(right).inputs[1 - j];
      if (factor != graph.node(right).inputs[j] || graph.value(b).type != graph.value(c).type ||
          (graph.is_constant(b) && graph.is_constant(c)))
        continue;
      Match match{.anchor = site.anchor, .nodes = {left, right}, .values = {factor, b, c}};
      if (std::ranges::find(found, match) == found.end()) found.push_back(std::move(match));
    }
  return found;
}

bool factor_out(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const Node& sum = graph.node(match.anchor);
  EditBuilder build(graph, allowance, edit);
  const ValueId inner =
      build.add(sum.op, {match.values[1], match.values[2]}, {}, name_of(graph, match.anchor));
  build.replace(sum.outputs[0],
                build.add("Mul", {match.values[0], inner}, {}, name_of(graph, match.nodes[0])));
  return build.affordable();
}

/// a (b + c) or a (b - c), where b and c have one type and nothing else reads their sum. The values
/// are a, b and c.
std::vector<Match> find_product_of_sum(const Site& site) {
  const Graph& graph = site.graph;
  std::vector<Match> found;
  for (std::size_t side = 0; side < 2; ++side) {
    const ValueId sum = site.node().inputs[side];
    const NodeId maker = graph.value(sum).producer;
    if (!maker.valid() || !has_single_use(graph, sum)) continue;
    const Node& node = graph.node(maker);
    if (node.op != "Add" && node.op != "Sub") continue;
    const ValueId factor = site.node().inputs[1 - side];
    const bool is_even = std::ranges::all_of(node.inputs, [&](ValueId input) {
      return graph.value(input).type == graph.value(sum).type && !graph.is_constant(input);
    });
    if (is_even)
      found.push_back({.anchor = site.anchor,
                       .nodes = {maker},
                       .values = {factor, node.inputs[0], node.inputs[1]}});
  }
  return found;
}

bool multiply_out(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const Node& product = graph.node(match.anchor);
  const std::string name = name_of(graph, match.anchor);
  EditBuilder build(graph, allowance, edit);
  const ValueId left = build.add("Mul", {match.values[0], match.values[1]}, {}, name + "/left");
  const ValueId right = build.add("Mul", {match.values[0], match.values[2]}, {}, name + "/right");
  build.replace(product.outputs[0], build.add(graph.node(match.nodes[0]).op, {left, right}, {},
                                              name_of(graph, match.nodes[0])));
  return build.affordable();
}

/// The node of the same operator and type that makes a value for one reader alone: the tree goes
/// on.
NodeId inner_node(const Graph& graph, ValueId value, const Node& root) {
  const NodeId id = made_by(graph, value, root.op);
  if (!id.valid() || !has_single_use(graph, value)) return {};
  for (const ValueId input : graph.node(id).inputs)
    if (graph.value(input).type != graph.value(root.outputs[0]).type) return {};
  return id;
}

/// The operands of a tree, from left to right; none unless all have the root's type.
std::vector<ValueId> operands_of(const Graph& graph, const Node& root) {
  std::vector<ValueId> operands;
  std::vector<ValueId> open(root.inputs.rbegin(), root.inputs.rend());
  while (!open.empty()) {
    const ValueId value = open.back();
    open.pop_back();
    if (const NodeId inner = inner_node(graph, value, root); inner.valid()) {
      const std::vector<ValueId>& more = graph.node(inner).inputs;
      open.insert(open.end(), more.rbegin(), more.rend());
      continue;
    }
    if (graph.value(value).type != graph.value(root.outputs[0]).type) return {};
    operands.push_back(value);
  }
  return operands;
}

/// Pairs to be joined, one after the other: indices among the operands and then what pairs made.
struct JoinOrder {
  std::vector<std::int64_t> pairs;
  int level = 0;  ///< of the last result
};

/// Always joins the two that are there first.
JoinOrder earliest_first(const std::vector<int>& levels) {
  JoinOrder order;
  std::vector<std::pair<int, std::int64_t>> ready;
  for (std::size_t i = 0; i < levels.size(); ++i)
    ready.emplace_back(levels[i], static_cast<std::int64_t>(i));
  std::int64_t next = std::ssize(levels);
  while (ready.size() > 1) {
    std::ranges::sort(ready);
    order.pairs.insert(order.pairs.end(), {ready[0].second, ready[1].second});
    ready[1] = {ready[1].first + 1, next++};
    ready.erase(ready.begin());
  }
  order.level = ready[0].first;
  return order;
}

/// A tree of sums, or of products, whose result could be there earlier. The values are its
/// operands, the parameters the pairs to be joined.
std::vector<Match> find_late_tree(const Site& site) {
  const Graph& graph = site.graph;
  const Node& root = site.node();
  if (!inner_node(graph, root.inputs[0], root).valid() &&
      !inner_node(graph, root.inputs[1], root).valid())
    return {};
  const ValueId result = root.outputs[0];
  if (has_single_use(graph, result)) {
    const Node& reader = graph.node(graph.value(result).consumers[0]);
    if (reader.op == root.op && inner_node(graph, result, reader) == site.anchor) return {};
  }
  std::vector<ValueId> operands = operands_of(graph, root);
  if (operands.size() < 3 ||
      std::ranges::count_if(operands, [&](ValueId v) { return graph.is_constant(v); }) > 1)
    return {};
  std::vector<int> levels;
  for (const ValueId operand : operands) levels.push_back(site.places.level(operand));
  JoinOrder order = earliest_first(levels);
  if (order.level >= site.places.level(site.anchor)) return {};
  return {
      {.anchor = site.anchor, .values = std::move(operands), .parameters = std::move(order.pairs)}};
}

bool rebuild_tree(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const Node& root = graph.node(match.anchor);
  const std::string name = name_of(graph, match.anchor);
  EditBuilder build(graph, allowance, edit);
  std::vector<ValueId> made = match.values;
  for (std::size_t i = 0; i < match.parameters.size(); i += 2) {
    const bool is_last = i + 2 == match.parameters.size();
    const ValueId left = made[static_cast<std::size_t>(match.parameters[i])];
    const ValueId right = made[static_cast<std::size_t>(match.parameters[i + 1])];
    made.push_back(build.add(root.op, {left, right}, {},
                             is_last ? name : name + "/part_" + std::to_string(i / 2)));
  }
  build.replace(root.outputs[0], made.back());
  return build.affordable();
}

std::vector<Match> find_doubled(const Site& site) {
  const std::vector<ValueId>& inputs = site.node().inputs;
  if (inputs[0] != inputs[1] || !is_float_type(site.graph.value(inputs[0]).type.element)) return {};
  return {{.anchor = site.anchor}};
}

bool multiply_by_two(const Graph& graph, const Match& match, Allowance& allowance,
                     GraphEdit& edit) {
  const Node& sum = graph.node(match.anchor);
  const std::string name = name_of(graph, match.anchor);
  EditBuilder build(graph, allowance, edit);
  const ValueId two = build.constant(
      name + "/two", cast(Tensor::scalar(2.0F), graph.value(sum.inputs[0]).type.element));
  build.replace(sum.outputs[0], build.add("Mul", {sum.inputs[0], two}, {}, name));
  return build.affordable();
}

}  // namespace

SearchedRule factor_sum() {
  return {{"factor",
           "multiply a sum by a factor that all its summands have",
           {"Add", "Sub"},
           find_common_factor,
           factor_out},
          "S11",
          "a b + a c = a (b + c)"};
}

SearchedRule expand_product() {
  return {{"expand",
           "multiply the summands of a sum instead of the sum",
           {"Mul"},
           find_product_of_sum,
           multiply_out},
          "S11",
          "a (b + c) = a b + a c"};
}

SearchedRule reassociate() {
  return {{"reassociate",
           "add or multiply first what is there first",
           {"Add", "Mul"},
           find_late_tree,
           rebuild_tree},
          "S11",
          "(a + b) + c = a + (b + c)"};
}

SearchedRule double_value() {
  return {{"double",
           "multiply by two what is added to itself, so that weights can take the factor",
           {"Add"},
           find_doubled,
           multiply_by_two},
          "S11",
          "x + x = 2 x"};
}

}  // namespace braid
