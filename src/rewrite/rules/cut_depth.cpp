#include "graph/query.h"
#include "rewrite/convolution.h"
#include "rewrite/recipe.h"
#include "rewrite/rules/rules.h"

namespace braid {
namespace {

constexpr std::int64_t kFewestOfPiece = 16;
constexpr std::int64_t kMostPieces = 4;

std::vector<Match> find_deep(const Site& site) {
  if (site.node().op != "Conv") return {};
  const auto conv = convolution(site.graph, site.anchor);
  if (!conv || !conv->is_dense()) return {};
  std::vector<Match> found;
  for (std::int64_t pieces = 2; pieces <= kMostPieces; ++pieces)
    if (conv->geometry.in_channels % pieces == 0 &&
        conv->geometry.in_channels / pieces >= kFewestOfPiece)
      found.push_back({.anchor = site.anchor, .parameters = {pieces}});
  return found;
}

/// The sum as a tree of the least depth.
ValueId sum_of(EditBuilder& build, std::vector<ValueId> terms, const std::string& name) {
  while (terms.size() > 1) {
    std::vector<ValueId> sums;
    for (std::size_t i = 0; i + 1 < terms.size(); i += 2)
      sums.push_back(build.add("Add", {terms[i], terms[i + 1]}, {}, name));
    if (terms.size() % 2 == 1) sums.push_back(terms.back());
    terms = std::move(sums);
  }
  return terms[0];
}

bool cut_channels(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const Convolution conv = *convolution(graph, match.anchor);
  const std::int64_t pieces = match.parameters[0];
  const std::int64_t channels = conv.geometry.in_channels / pieces;
  const std::string name = name_of(graph, match.anchor);
  EditBuilder build(graph, allowance, edit);
  const std::vector<ValueId> inputs =
      build.split(conv.input, std::vector<std::int64_t>(static_cast<std::size_t>(pieces), channels),
                  1, name + "/pieces");
  std::vector<ValueId> terms;
  for (std::int64_t i = 0; i < pieces; ++i) {
    ConvChange change;
    change.input = inputs[static_cast<std::size_t>(i)];
    change.weights = sliced(conv.weights, 1, i * channels, (i + 1) * channels);
    if (i > 0) change.bias = Tensor{};
    change.residual = ValueId{};
    change.keeps_activation = false;
    terms.push_back(add_convolution(build, graph, conv, change, name + "/piece"));
  }
  if (conv.residual.valid()) terms.push_back(conv.residual);
  const ValueId whole = sum_of(build, std::move(terms), name + "/sum");
  build.replace(graph.node(match.anchor).outputs[0],
                add_activation(build, graph.node(match.anchor), whole, name));
  return build.affordable();
}

}  // namespace

SearchedRule cut_depth() {
  return {{"cut-depth",
           "make a convolution a sum of several, each of which reads some of its channels",
           {"Conv"},
           find_deep,
           cut_channels},
          "S13",
          "conv(concat(a, b), concat1(v, w)) = conv(a, v) + conv(b, w)"};
}

}  // namespace braid
