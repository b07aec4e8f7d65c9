#include <algorithm>
#include <functional>
#include <span>

#include "base/sort_by.h"
#include "graph/query.h"
#include "rewrite/convolution.h"
#include "rewrite/recipe.h"
#include "rewrite/rules/rules.h"

namespace braid {
namespace {

/// More pieces are no longer few that are waited for.
constexpr std::size_t kMostLate = 4;

/// The Concat along channels that a dense convolution reads; invalid if there is none.
NodeId concat_before(const Graph& graph, NodeId conv) {
  const Node& node = graph.node(conv);
  const NodeId concat = made_by(graph, node.inputs[0], "Concat");
  const bool fits = concat.valid() && groups_of(node) == 1 &&
                    is_along_channels(graph, graph.node(concat)) &&
                    is_fixed_convolution(graph, conv);
  return fits ? concat : NodeId{};
}

/// The pieces of a concat, each once, the deepest first; equally deep ones in the concat's order.
std::vector<ValueId> deepest_first(const Site& site, const Node& concat) {
  std::vector<ValueId> pieces;
  for (const ValueId piece : concat.inputs)
    if (std::ranges::find(pieces, piece) == pieces.end()) pieces.push_back(piece);
  sort_by(pieces, [&](ValueId piece) { return -site.places.level(piece); });
  return pieces;
}

bool can_be_convolved(const Graph& graph, std::span<const ValueId> pieces) {
  return std::ranges::any_of(pieces, [&](ValueId piece) {
    return !graph.is_constant(piece) && graph.value(piece).type.dims[1] > 0;
  });
}

/// The late pieces are the values of a match; how many there are is its parameter. They are all
/// that lie as deep, or the deepest alone.
std::vector<Match> find_late_pieces(const Site& site) {
  const NodeId concat = concat_before(site.graph, site.anchor);
  if (!concat.valid()) return {};
  const std::vector<ValueId> pieces = deepest_first(site, site.graph.node(concat));
  const auto level = [&](std::size_t i) { return site.places.level(pieces[i]); };
  if (level(0) == level(pieces.size() - 1)) return {};
  std::vector<Match> found;
  for (std::size_t late = 1; late < pieces.size() && late <= kMostLate; ++late) {
    const std::span all(pieces);
    if (late > 1 && level(late - 1) == level(late)) continue;
    if (can_be_convolved(site.graph, all.first(late)) &&
        can_be_convolved(site.graph, all.subspan(late)))
      found.push_back({.anchor = site.anchor,
                       .nodes = {concat},
                       .values = {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(late)},
                       .parameters = {static_cast<std::int64_t>(late)}});
  }
  return found;
}

/// What a convolution of a Concat makes of some of its pieces, without its epilogue.
ValueId convolve_some(EditBuilder& build, const Graph& graph, const Convolution& conv,
                      const std::vector<bool>& taken, bool with_bias, const std::string& name) {
  const Node& concat = graph.node(graph.value(conv.input).producer);
  std::vector<ValueId> pieces;
  std::vector<Tensor> weights;
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < concat.inputs.size(); ++i) {
    const std::int64_t end = begin + build.dims(concat.inputs[i])[1];
    if (taken[i]) {
      pieces.push_back(concat.inputs[i]);
      weights.push_back(sliced(conv.weights, 1, begin, end));
    }
    begin = end;
  }
  ConvChange change{.input = build.concat(std::move(pieces), 1, name + "/pieces"),
                    .weights = joined(std::move(weights), 1),
                    .residual = ValueId{},
                    .keeps_activation = false};
  if (!with_bias) change.bias = Tensor();
  return add_convolution(build, graph, conv, change, name);
}

bool sum_late_and_early(const Graph& graph, const Match& match, Allowance& allowance,
                        GraphEdit& edit) {
  const Convolution conv = *convolution(graph, match.anchor);
  const std::string name = name_of(graph, match.anchor);
  std::vector<bool> is_late;
  for (const ValueId piece : graph.node(match.nodes[0]).inputs)
    is_late.push_back(std::ranges::find(match.values, piece) != match.values.end());
  std::vector<bool> is_early = is_late;
  is_early.flip();

  EditBuilder build(graph, allowance, edit);
  ValueId early = convolve_some(build, graph, conv, is_early, true, name + "/early");
  if (conv.residual.valid())
    early = build.add("Add", {early, conv.residual}, {}, name + "/early/sum");
  const ValueId late = convolve_some(build, graph, conv, is_late, false, name + "/late");
  build.replace(graph.node(match.anchor).outputs[0],
                add_epilogue(build, graph, match.anchor, late, {early}, name));
  return build.affordable();
}

}  // namespace

SearchedRule late_pieces() {
  return {{"late-pieces",
           "convolve the pieces of a concat that come late apart from the others, and add",
           {"Conv"},
           find_late_pieces,
           sum_late_and_early},
          "S6",
          "conv(concat(a, b), [u|v]) = conv(b, v) + conv(a, u)"};
}

}  // namespace braid
