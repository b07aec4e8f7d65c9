#include <algorithm>

#include "graph/query.h"
#include "ops/call.h"
#include "ops/pool.h"
#include "rewrite/convolution.h"
#include "rewrite/edit_builder.h"
#include "rewrite/recipe.h"
#include "rewrite/rules/pool.h"
#include "rewrite/rules/rules.h"

namespace braid {
namespace {

/// A convolution of single pixels, all of them: kernels of 1, stride 1, no pads; in groups or not.
bool is_of_pixels(const Convolution& conv) {
  const Window& window = conv.geometry.window;
  const auto all = [](const Dims& dims, std::int64_t number) {
    return std::ranges::all_of(dims, [&](std::int64_t d) { return d == number; });
  };
  return all(window.kernel, 1) && all(window.strides, 1) && all(window.pads_begin, 0) &&
         all(window.pads_end, 0);
}

/// The pool whose means this convolution of pixels alone reads.
NodeId averages_of(const Graph& graph, const Convolution& conv) {
  const NodeId pool = graph.value(conv.input).producer;
  const bool fits = pool.valid() && is_average(graph.node(pool)) &&
                    has_single_use(graph, conv.input) && is_of_pixels(conv);
  return fits ? pool : NodeId{};
}

/// Whether it is worth a look whether a node reads means.
bool may_read_averages(const Graph& graph, const Node& node) {
  const NodeId pool = graph.value(node.inputs[0]).producer;
  return pool.valid() && is_average(graph.node(pool));
}

/// A convolution of means that has fewer channels than they: pooling those is less work, unless the
/// pool throws many pixels away.
std::vector<Match> find_convolved_average(const Site& site) {
  if (!may_read_averages(site.graph, site.node())) return {};
  const auto conv = convolution(site.graph, site.anchor);
  if (!conv) return {};
  const NodeId pool = averages_of(site.graph, *conv);
  if (!pool.valid() || conv->geometry.out_channels >= conv->geometry.in_channels ||
      site.graph.value(site.graph.node(pool).inputs[0]).type.dims !=
          site.graph.value(conv->input).type.dims)
    return {};
  return {{.anchor = site.anchor, .nodes = {pool}}};
}

ValueId add_channel_bias(EditBuilder& build, const Tensor& bias, ValueId value,
                         const std::string& name) {
  Dims dims(build.dims(value).size(), 1);
  dims[1] = bias.elements();
  return build.add("Add", {value, build.constant(name + "/bias", reshaped(bias, dims))}, {}, name);
}

bool convolve_before_average(const Graph& graph, const Match& match, Allowance& allowance,
                             GraphEdit& edit) {
  const Convolution conv = *convolution(graph, match.anchor);
  const Node& node = graph.node(match.anchor);
  const Node& pool = graph.node(match.nodes[0]);
  const std::string name = name_of(graph, match.anchor);
  const bool keeps_bias = keeps_constants(graph, pool);
  EditBuilder build(graph, allowance, edit);
  ConvChange change;
  change.input = pool.inputs[0];
  change.residual = ValueId{};
  change.keeps_activation = false;
  if (!keeps_bias) change.bias = Tensor{};
  ValueId made = add_convolution(build, graph, conv, change, name);
  made = build.add(pool.op, {made}, pool.attributes, name_of(graph, match.nodes[0]));
  if (conv.bias.defined() && !keeps_bias)
    made = add_channel_bias(build, conv.bias, made, name + "/biased");
  if (conv.residual.valid()) made = build.add("Add", {made, conv.residual}, {}, name + "/sum");
  build.replace(node.outputs[0], add_activation(build, node, made, name + "/activation"));
  return build.affordable();
}

/// Means of what a convolution of pixels makes for them alone. The convolution has fewer pixels to
/// do after the pool, or fewer channels to pool before it.
std::vector<Match> find_average_of_convolved(const Site& site) {
  const Graph& graph = site.graph;
  const ValueId convolved = site.node().inputs[0];
  if (!made_by(graph, convolved, "Conv").valid() || !has_single_use(graph, convolved)) return {};
  const auto conv = convolution(graph, graph.value(convolved).producer);
  if (!conv || conv->activated || conv->residual.valid() || !is_of_pixels(*conv)) return {};
  if (conv->bias.defined() && !keeps_constants(graph, site.node())) return {};
  const bool has_fewer_pixels =
      graph.value(convolved).type != graph.value(site.node().outputs[0]).type;
  if (!has_fewer_pixels && conv->geometry.in_channels >= conv->geometry.out_channels) return {};
  return {{.anchor = site.anchor, .nodes = {conv->id}}};
}

bool average_before_convolution(const Graph& graph, const Match& match, Allowance& allowance,
                                GraphEdit& edit) {
  const Convolution conv = *convolution(graph, match.nodes[0]);
  const Node& pool = graph.node(match.anchor);
  EditBuilder build(graph, allowance, edit);
  const ValueId pooled =
      build.add(pool.op, {conv.input}, pool.attributes, name_of(graph, match.anchor));
  Node node = graph.node(conv.id);
  node.outputs.clear();
  node.inputs[0] = pooled;
  node.name = name_of(graph, conv.id);
  build.replace(pool.outputs[0], build.add_node(std::move(node))[0]);
  return build.affordable();
}

/// A dense convolution of means that are all divided by the same number, with pads that do not
/// depend on the size of images.
std::vector<Match> find_pool_to_convolve(const Site& site) {
  const Graph& graph = site.graph;
  if (made_by(graph, site.node().inputs[0], "AveragePool") == NodeId{}) return {};
  const auto conv = convolution(graph, site.anchor);
  if (!conv || !conv->is_dense()) return {};
  const NodeId pool = averages_of(graph, *conv);
  if (!pool.valid() || !has_one_divisor(graph.node(pool)) ||
      graph.node(pool).attributes.text("auto_pad", "NOTSET").starts_with("SAME"))
    return {};
  return {{.anchor = site.anchor, .nodes = {pool}}};
}

bool convolve_windows(const Graph& graph, const Match& match, Allowance& allowance,
                      GraphEdit& edit) {
  const Convolution conv = *convolution(graph, match.anchor);
  const Node& pool = graph.node(match.nodes[0]);
  const Window window = pool_geometry(call_of(graph, pool)).window;
  Dims dims = conv.weights.dims();
  std::copy(window.kernel.begin(), window.kernel.end(), dims.begin() + 2);
  const std::int64_t divisor = element_count(window.kernel);
  const Tensor shape =
      Tensor::of<std::int64_t>({static_cast<std::int64_t>(dims.size())}, std::span(dims));
  EditBuilder build(graph, allowance, edit);
  ConvChange change;
  change.input = pool.inputs[0];
  change.weights =
      promised_result("Expand", {scaled(conv.weights, 1.0 / static_cast<double>(divisor)), shape});
  change.window = window;
  build.replace(graph.node(match.anchor).outputs[0],
                add_convolution(build, graph, conv, change, name_of(graph, match.anchor)));
  return build.affordable();
}

}  // namespace

SearchedRule pool_after_pointwise() {
  return {{"pool-after-pointwise",
           "take means after a 1x1 convolution to fewer channels, not before it",
           {"Conv"},
           find_convolved_average,
           convolve_before_average},
          "S12",
          "conv1x1(avg(x)) + b = avg(conv1x1(x)) + b"};
}

SearchedRule pool_before_pointwise() {
  return {{"pool-before-pointwise",
           "take means before a 1x1 convolution, not after it",
           {"AveragePool", "GlobalAveragePool"},
           find_average_of_convolved,
           average_before_convolution},
          "S12",
          "avg(conv1x1(x) + b) = conv1x1(avg(x)) + b, where padding does not count"};
}

SearchedRule pool_as_convolution() {
  return {{"pool-as-convolution",
           "take means by the weights of the 1x1 convolution that reads them",
           {"Conv"},
           find_pool_to_convolve,
           convolve_windows},
          "S12",
          "conv1x1(avg(x), w) = conv(x, w / (kh kw) at every tap)"};
}

}  // namespace braid
