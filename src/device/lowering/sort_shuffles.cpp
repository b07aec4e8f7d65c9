#include "device/lowering/rules.h"
#include "graph/query.h"
#include "rewrite/convolution.h"
#include "rewrite/recipe.h"

namespace braid {
namespace {

/// The Conv whose channels a DepthToSpace alone takes apart, column by column: the pixels of a
/// block lie one behind the other in its channels.
NodeId conv_before(const Graph& graph, const Node& shuffle) {
  const ValueId value = shuffle.inputs[0];
  const NodeId conv = made_by(graph, value, "Conv");
  if (shuffle.attributes.text("mode", "DCR") != "CRD" || !has_single_use(graph, value) ||
      !is_fixed_convolution(graph, conv) || groups_of(graph.node(conv)) != 1 ||
      convolution(graph, conv)->residual.valid())
    return {};
  return conv;
}

std::vector<Match> find_shuffle(const Site& site) {
  const NodeId conv = conv_before(site.graph, site.node());
  if (!conv.valid()) return {};
  return {{.anchor = site.anchor, .nodes = {conv}}};
}

/// [depth * pixels, ...] as [pixels * depth, ...].
Tensor with_pixels_outside(const Tensor& tensor, std::int64_t pixels) {
  Dims apart = tensor.dims();
  apart[0] /= pixels;
  apart.insert(apart.begin() + 1, pixels);
  std::vector<std::int64_t> order = {1, 0};
  for (std::int64_t i = 2; i < std::ssize(apart); ++i) order.push_back(i);
  return reshaped(transposed(reshaped(tensor, apart), order), tensor.dims());
}

bool sort_channels(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  Node shuffle = graph.node(match.anchor);
  const Convolution conv = *convolution(graph, match.nodes[0]);
  const std::int64_t block = shuffle.attributes.integer("blocksize", 1);
  EditBuilder build(graph, allowance, edit);
  ConvChange change{.weights = with_pixels_outside(conv.weights, block * block)};
  if (conv.bias.defined()) change.bias = with_pixels_outside(conv.bias, block * block);
  const ValueId output = shuffle.outputs[0];
  shuffle.inputs = {add_convolution(build, graph, conv, change, name_of(graph, conv.id))};
  shuffle.outputs.clear();
  shuffle.attributes.set("mode", "DCR");
  build.replace(output, build.add_node(std::move(shuffle))[0]);
  return build.affordable();
}

}  // namespace

Rule sort_shuffles() {
  return {"sort-shuffles",
          "a Conv before a DepthToSpace makes the channels of a pixel side by side",
          {"DepthToSpace"},
          find_shuffle,
          sort_channels};
}

}  // namespace braid
