#include <algorithm>

#include "graph/query.h"
#include "ops/shared/epilogue.h"
#include "rewrite/canonical/host.h"
#include "rewrite/convolution.h"
#include "rewrite/enlarge.h"
#include "rewrite/in_place.h"
#include "rewrite/recipe.h"
#include "rewrite/rules/rules.h"

namespace braid {
namespace {

/// The convolution that makes a value for this one use and does nothing to it after adding; invalid
/// if there is none.
NodeId open_convolution(const Graph& graph, ValueId value) {
  const NodeId host = open_host(graph, value);
  return is_fixed_convolution(graph, host) ? host : NodeId{};
}

/// Two convolutions that are added: by an Add, or by the first, whose residual is the second.
struct SumOfTwo {
  NodeId first;
  NodeId second;
};

std::optional<SumOfTwo> sum_at(const Graph& graph, NodeId anchor) {
  const Node& node = graph.node(anchor);
  SumOfTwo sum;
  if (node.op == "Conv") {
    const ValueId residual = input_of(node, Epilogue::kResidualInput);
    if (!residual.valid() || !is_fixed_convolution(graph, anchor)) return std::nullopt;
    sum = {anchor, open_convolution(graph, residual)};
  } else if (node.inputs.size() == 2) {
    const auto type = [&](std::size_t i) { return graph.value(node.inputs[i]).type; };
    if (made_by(graph, node.inputs[0], "Conv").valid() && type(0) == type(1))
      sum = {open_convolution(graph, node.inputs[0]), open_convolution(graph, node.inputs[1])};
  }
  if (!sum.first.valid() || !sum.second.valid()) return std::nullopt;
  return sum;
}

ValueId input_value(const Graph& graph, NodeId id, std::size_t i = 0) {
  return graph.node(id).inputs[i];
}

bool have_common_window(const Graph& graph, const SumOfTwo& sum) {
  return common_window(convolution(graph, sum.first)->geometry.window,
                       convolution(graph, sum.second)->geometry.window)
      .has_value();
}

std::vector<Match> find_sum_of_different(const Site& site) {
  const Graph& graph = site.graph;
  const auto sum = sum_at(graph, site.anchor);
  if (!sum || input_value(graph, sum->first) == input_value(graph, sum->second) ||
      groups_of(graph.node(sum->first)) != 1 || groups_of(graph.node(sum->second)) != 1 ||
      !have_common_window(graph, *sum))
    return {};
  return {{.anchor = site.anchor, .nodes = {sum->first, sum->second}}};
}

std::vector<Match> find_sum_of_same(const Site& site) {
  const Graph& graph = site.graph;
  const auto sum = sum_at(graph, site.anchor);
  if (!sum || input_value(graph, sum->first) != input_value(graph, sum->second) ||
      groups_of(graph.node(sum->first)) != groups_of(graph.node(sum->second)) ||
      !have_common_window(graph, *sum))
    return {};
  return {{.anchor = site.anchor, .nodes = {sum->first, sum->second}}};
}

std::vector<Match> find_sum_by_same_weights(const Site& site) {
  const Graph& graph = site.graph;
  const auto sum = sum_at(graph, site.anchor);
  if (!sum || input_value(graph, sum->first) == input_value(graph, sum->second) ||
      input_value(graph, sum->first, 1) != input_value(graph, sum->second, 1) ||
      convolution(graph, sum->first)->geometry != convolution(graph, sum->second)->geometry)
    return {};
  return {{.anchor = site.anchor, .nodes = {sum->first, sum->second}}};
}

Tensor sum_of_biases(const Convolution& a, const Convolution& b) {
  if (a.bias.defined() && b.bias.defined()) return sum(a.bias, b.bias);
  return a.bias.defined() ? a.bias : b.bias;
}

/// Puts one convolution in the place of the sum, with its bias, and adds what else was added.
bool replace_sum(EditBuilder& build, const Graph& graph, const Match& match, const Convolution& a,
                 const Convolution& b, ConvChange change) {
  std::vector<ValueId> others = {b.residual};
  if (match.anchor != a.id) others.push_back(a.residual);
  const bool is_whole = std::ranges::none_of(others, [](ValueId value) { return value.valid(); });
  const std::string name = name_of(graph, match.anchor);
  change.bias = sum_of_biases(a, b);
  change.residual = ValueId{};
  change.keeps_activation = is_whole;
  ValueId joined = add_convolution(build, graph, a, change, name);
  if (!is_whole) joined = add_epilogue(build, graph, a.id, joined, others, name);
  build.replace(graph.node(match.anchor).outputs[0], joined);
  return build.affordable();
}

bool join_different(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const Convolution a = *convolution(graph, match.nodes[0]);
  const Convolution b = *convolution(graph, match.nodes[1]);
  const Window window = *common_window(a.geometry.window, b.geometry.window);
  EditBuilder build(graph, allowance, edit);
  ConvChange change{
      .input = build.concat({a.input, b.input}, 1, name_of(graph, match.anchor) + "/inputs"),
      .weights =
          joined({enlarged(a.weights, window.kernel), enlarged(b.weights, window.kernel)}, 1),
      .window = window};
  return replace_sum(build, graph, match, a, b, std::move(change));
}

bool join_same(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const Convolution a = *convolution(graph, match.nodes[0]);
  const Convolution b = *convolution(graph, match.nodes[1]);
  const Window window = *common_window(a.geometry.window, b.geometry.window);
  EditBuilder build(graph, allowance, edit);
  ConvChange change{
      .weights = sum(enlarged(a.weights, window.kernel), enlarged(b.weights, window.kernel)),
      .window = window};
  return replace_sum(build, graph, match, a, b, std::move(change));
}

bool add_inputs(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const Convolution a = *convolution(graph, match.nodes[0]);
  const Convolution b = *convolution(graph, match.nodes[1]);
  EditBuilder build(graph, allowance, edit);
  ConvChange change{
      .input = build.add("Add", {a.input, b.input}, {}, name_of(graph, match.anchor) + "/inputs")};
  return replace_sum(build, graph, match, a, b, std::move(change));
}

/// A convolution that adds what it reads to what it makes of it.
std::vector<Match> find_shortcut(const Site& site) {
  const Node& node = site.node();
  if (input_of(node, Epilogue::kResidualInput) != node.inputs[0]) return {};
  const auto conv = convolution(site.graph, site.anchor);
  if (!conv || !tap_in_place(conv->geometry.window)) return {};
  return {{.anchor = site.anchor}};
}

bool take_shortcut_in(const Graph& graph, const Match& match, Allowance& allowance,
                      GraphEdit& edit) {
  const Convolution conv = *convolution(graph, match.anchor);
  EditBuilder build(graph, allowance, edit);
  const std::vector<double> ones(static_cast<std::size_t>(conv.geometry.out_channels), 1.0);
  const Tensor unit = handing_on(conv.weights.type(), conv.geometry.groups,
                                 *tap_in_place(conv.geometry.window), ones);
  const ConvChange change{.weights = sum(conv.weights, unit), .residual = ValueId{}};
  build.replace(graph.node(match.anchor).outputs[0],
                add_convolution(build, graph, conv, change, name_of(graph, match.anchor)));
  return build.affordable();
}

}  // namespace

SearchedRule join_sum() {
  return {{"join-sum",
           "compute a sum of two convolutions as one convolution of both inputs",
           {"Add", "Conv"},
           find_sum_of_different,
           join_different},
          "S6",
          "conv(x, u) + conv(y, v) = conv(concat(x, y), [u|v])",
          false};
}

SearchedRule join_sum_of_same() {
  return {{"join-sum-of-same",
           "compute a sum of two convolutions of one value as one",
           {"Add", "Conv"},
           find_sum_of_same,
           join_same},
          "S7",
          "conv(x, u) + conv(x, v) = conv(x, u + v)"};
}

SearchedRule join_shortcut() {
  return {{"join-shortcut",
           "take the value that a convolution reads and adds into its weights",
           {"Conv"},
           find_shortcut,
           take_shortcut_in},
          "S7",
          "conv(x, w) + x = conv(x, w + 1), 1 at the tap that reads in place"};
}

SearchedRule share_weights_of_sum() {
  return {{"share-weights-of-sum",
           "add the inputs of two convolutions by the same weights instead of their outputs",
           {"Add", "Conv"},
           find_sum_by_same_weights,
           add_inputs},
          "S8",
          "conv(x, w) + conv(y, w) = conv(x + y, w)",
          false};
}

}  // namespace braid
