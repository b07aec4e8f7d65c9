#include "graph/query.h"
#include "ops/shared/epilogue.h"
#include "rewrite/canonical/host.h"
#include "rewrite/convolution.h"
#include "rewrite/recipe.h"
#include "rewrite/rules/rules.h"

namespace braid {
namespace {

/// A pointwise convolution of what a depthwise one makes for it alone. The depthwise one may make
/// several channels of each.
std::vector<Match> find_separable(const Site& site) {
  const Graph& graph = site.graph;
  const Node& pointwise = site.node();
  const ValueId between = pointwise.inputs[0];
  if (groups_of(pointwise) != 1 || !made_by(graph, between, "Conv").valid()) return {};
  const NodeId id = open_host(graph, between);
  if (!is_fixed_convolution(graph, id)) return {};
  const Node& depthwise = graph.node(id);
  if (groups_of(depthwise) == 1 || graph.value(depthwise.inputs[1]).type.dims[1] != 1 ||
      input_of(depthwise, Epilogue::kResidualInput).valid())
    return {};
  const auto conv = convolution(graph, site.anchor);
  if (!conv || !conv->is_pointwise()) return {};
  return {{.anchor = site.anchor, .nodes = {id}}};
}

/// Output o of the pointwise p reads channel c m + j of the depthwise d, which reads channel c:
///     w[o, c, k] = sum over j of p[o, c m + j] d[c m + j, k]
/// as a product of matrices for each c, [Co, m] x [m, k].
Tensor composed_weights(const Convolution& pointwise, const Convolution& depthwise) {
  const std::int64_t channels = depthwise.geometry.in_channels;
  const std::int64_t many = depthwise.geometry.out_channels_of_group();
  const std::int64_t outputs = pointwise.geometry.out_channels;
  const std::int64_t taps = element_count(depthwise.geometry.window.kernel);
  Dims dims = {outputs, channels};
  for (const std::int64_t k : depthwise.geometry.window.kernel) dims.push_back(k);
  const Tensor left = transposed(reshaped(pointwise.weights, {outputs, channels, many}), {1, 0, 2});
  const Tensor right = reshaped(depthwise.weights, {channels, many, taps});
  return reshaped(transposed(promised_result("MatMul", {left, right}), {1, 0, 2}), dims);
}

/// What the pointwise convolution makes of the other's bias, and its own; undefined if neither has
/// one.
Tensor composed_bias(const Convolution& pointwise, const Convolution& depthwise) {
  if (!depthwise.bias.defined()) return pointwise.bias;
  const Tensor matrix = reshaped(pointwise.weights,
                                 {pointwise.geometry.out_channels, pointwise.geometry.in_channels});
  const Tensor handed_on = promised_result("MatMul", {matrix, depthwise.bias});
  return pointwise.bias.defined() ? sum(handed_on, pointwise.bias) : handed_on;
}

bool compose(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const Convolution pointwise = *convolution(graph, match.anchor);
  const Convolution depthwise = *convolution(graph, match.nodes[0]);
  const std::string name = name_of(graph, match.anchor);
  const bool adds = pointwise.residual.valid();
  EditBuilder build(graph, allowance, edit);
  const ConvChange change{.input = depthwise.input,
                          .weights = composed_weights(pointwise, depthwise),
                          .bias = composed_bias(pointwise, depthwise),
                          .residual = ValueId{},
                          .window = depthwise.geometry.window,
                          .keeps_activation = !adds};
  ValueId dense = add_convolution(build, graph, pointwise, change, name);
  if (adds) dense = add_epilogue(build, graph, match.anchor, dense, {pointwise.residual}, name);
  build.replace(graph.node(match.anchor).outputs[0], dense);
  return build.affordable();
}

}  // namespace

SearchedRule compose_depthwise_pointwise() {
  return {{"compose-depthwise-pointwise",
           "compute a depthwise and a pointwise convolution in a row as one dense convolution",
           {"Conv"},
           find_separable,
           compose},
          "S14",
          "conv(conv(x, d, C), p) = conv(x, p d): both are linear, and p reads no neighbours"};
}

}  // namespace braid
