#include <algorithm>

#include "graph/query.h"
#include "ops/shared/epilogue.h"
#include "rewrite/convolution.h"
#include "rewrite/recipe.h"
#include "rewrite/rules/pieces.h"
#include "rewrite/rules/rules.h"

namespace braid {
namespace {

constexpr std::int64_t kMostParts = 4;
constexpr std::int64_t kFewestChannels = 32;
constexpr std::int64_t kFewestColumns = 64;
/// What kernels like the lengths of pieces to be multiples of.
constexpr std::int64_t kGrain = 8;

/// One match for each number of parts into which `length` may be cut; the number is its parameter.
std::vector<Match> ways_to_cut(NodeId anchor, std::int64_t length, std::int64_t fewest) {
  std::vector<Match> found;
  for (std::int64_t parts = 2; parts <= kMostParts && length / parts >= fewest; ++parts)
    found.push_back({.anchor = anchor, .parameters = {parts}});
  return found;
}

/// Lengths of channels of the output, which end where groups do.
std::vector<std::int64_t> cut_channels(const ConvGeometry& geometry, std::int64_t parts) {
  if (geometry.groups == 1) return even_lengths(geometry.out_channels, parts, kGrain);
  std::vector<std::int64_t> lengths = even_lengths(geometry.groups, parts, 1);
  for (std::int64_t& length : lengths) length *= geometry.out_channels_of_group();
  return lengths;
}

std::vector<Match> find_wide_convolution(const Site& site) {
  const Node& node = site.node();
  if (input_of(node, Epilogue::kResidualInput).valid() ||
      !is_fixed_convolution(site.graph, site.anchor))
    return {};
  const std::int64_t channels = site.graph.value(node.outputs[0]).type.dims[1];
  const std::int64_t groups = groups_of(node);
  std::vector<Match> found = ways_to_cut(site.anchor, channels, kFewestChannels);
  if (groups > 1)
    std::erase_if(found, [&](const Match& match) { return groups % match.parameters[0] != 0; });
  return found;
}

bool cut_into_convolutions(const Graph& graph, const Match& match, Allowance& allowance,
                           GraphEdit& edit) {
  const Convolution conv = *convolution(graph, match.anchor);
  const std::string name = name_of(graph, match.anchor);
  EditBuilder build(graph, allowance, edit);
  const std::vector<ValueId> pieces = add_convolutions_of_pieces(
      build, graph, conv, cut_channels(conv.geometry, match.parameters[0]), name);
  build.replace(graph.node(match.anchor).outputs[0], build.concat(pieces, 1, name + "/pieces"));
  return build.affordable();
}

/// A convolution that only a Split along channels reads, at any places if it is dense and otherwise
/// where its groups end.
std::vector<Match> find_split_convolution(const Site& site) {
  const Graph& graph = site.graph;
  const Node& node = site.node();
  const NodeId id = only_user(graph, node.outputs[0], "Split");
  if (!id.valid() || input_of(node, Epilogue::kResidualInput).valid() ||
      !is_fixed_convolution(graph, site.anchor) || !is_along_channels(graph, graph.node(id)))
    return {};
  const std::int64_t group = graph.value(node.inputs[1]).type.dims[0] / groups_of(node);
  for (const ValueId piece : graph.node(id).outputs) {
    if (!piece.valid()) return {};
    const std::int64_t length = graph.value(piece).type.dims[1];
    if (length == 0 || (groups_of(node) > 1 && length % group != 0)) return {};
  }
  return {{.anchor = site.anchor, .nodes = {id}}};
}

bool part_convolutions(const Graph& graph, const Match& match, Allowance& allowance,
                       GraphEdit& edit) {
  const std::vector<ValueId>& outputs = graph.node(match.nodes[0]).outputs;
  std::vector<std::int64_t> lengths;
  for (const ValueId output : outputs) lengths.push_back(graph.value(output).type.dims[1]);
  EditBuilder build(graph, allowance, edit);
  const std::vector<ValueId> pieces = add_convolutions_of_pieces(
      build, graph, *convolution(graph, match.anchor), lengths, name_of(graph, match.anchor));
  for (std::size_t i = 0; i < pieces.size(); ++i) build.replace(outputs[i], pieces[i]);
  return build.affordable();
}

/// A MatMul or Gemm whose second operand is a constant matrix.
std::vector<Match> find_wide_product(const Site& site) {
  const Graph& graph = site.graph;
  const Node& node = site.node();
  const Tensor* weights = constant_input(graph, node, 1);
  if (weights == nullptr || weights->dims().size() != 2 ||
      input_of(node, Epilogue::kResidualInput).valid())
    return {};
  const ValueId bias = input_of(node, Epilogue::kBiasInput);
  if (bias.valid() && !graph.is_constant(bias)) return {};
  return ways_to_cut(site.anchor, graph.value(node.outputs[0]).type.dims.back(), kFewestColumns);
}

bool cut_into_products(const Graph& graph, const Match& match, Allowance& allowance,
                       GraphEdit& edit) {
  const Node& product = graph.node(match.anchor);
  const Tensor& weights = *constant_input(graph, product, 1);
  const Tensor* bias = constant_input(graph, product, Epilogue::kBiasInput);
  const std::int64_t axis = product.attributes.integer("transB", 0) != 0 ? 0 : 1;
  const Dims& dims = graph.value(product.outputs[0]).type.dims;
  const auto rank = std::ssize(dims);
  const bool bias_varies = bias != nullptr && !bias->dims().empty() && bias->dims().back() > 1;
  const std::string name = name_of(graph, match.anchor);
  EditBuilder build(graph, allowance, edit);
  std::vector<ValueId> pieces;
  std::int64_t begin = 0;
  for (const std::int64_t length : even_lengths(dims.back(), match.parameters[0], kGrain)) {
    Node node = product;
    node.name = piece_name(name, pieces.size());
    node.inputs[1] =
        build.constant(node.name + "/weights", sliced(weights, axis, begin, begin + length));
    if (bias_varies)
      node.inputs[Epilogue::kBiasInput] = build.constant(
          node.name + "/bias", sliced(*bias, std::ssize(bias->dims()) - 1, begin, begin + length));
    pieces.push_back(build.add_node(std::move(node))[0]);
    begin += length;
  }
  build.replace(product.outputs[0], build.concat(pieces, rank - 1, name + "/pieces"));
  return build.affordable();
}

}  // namespace

SearchedRule cut_convolution() {
  return {{"cut-convolution",
           "compute the output channels of a convolution in several convolutions",
           {"Conv"},
           find_wide_convolution,
           cut_into_convolutions},
          "S13",
          "conv(x, [u; v]) = concat(conv(x, u), conv(x, v)); of groups: conv(concat(x, y), [u; v], "
          "g + h) = concat(conv(x, u, g), conv(y, v, h))"};
}

SearchedRule cut_product() {
  return {{"cut-product",
           "compute the columns of a product with a constant matrix in several products",
           {"MatMul", "Gemm"},
           find_wide_product,
           cut_into_products},
          "S13",
          "x [u|v] = [x u | x v]"};
}

SearchedRule part_siblings() {
  return {{"part-siblings",
           "one convolution for each piece of a Split that alone reads a convolution",
           {"Conv"},
           find_split_convolution,
           part_convolutions},
          "S13",
          "split(conv(x, [u; v])) = conv(x, u), conv(x, v)"};
}

}  // namespace braid
