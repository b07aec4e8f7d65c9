#include <algorithm>

#include "graph/query.h"
#include "ops/shared/epilogue.h"
#include "rewrite/convolution.h"
#include "rewrite/recipe.h"
#include "rewrite/rules/node_class.h"
#include "rewrite/rules/rules.h"

namespace braid {
namespace {

/// More inputs are seldom there at the same time.
constexpr std::size_t kMostJoinedAtOnce = 6;

bool is_plain_convolution(const Graph& graph, NodeId id) {
  return is_fixed_convolution(graph, id) &&
         !input_of(graph.node(id), Epilogue::kResidualInput).valid();
}

bool equal_but_for(std::size_t axis, const Dims& a, const Dims& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (i != axis && a[i] != b[i]) return false;
  return true;
}

const Dims& dims_of(const Graph& graph, ValueId value) { return graph.value(value).type.dims; }

/// Whether groups of both convolutions do the same but for weights, to pieces of the same extents.
bool have_equal_groups(const Graph& graph, const Node& a, const Node& b) {
  return equal_but_for(0, dims_of(graph, a.inputs[1]), dims_of(graph, b.inputs[1])) &&
         equal_but_for(1, dims_of(graph, a.inputs[0]), dims_of(graph, b.inputs[0])) &&
         equal_but_for(1, dims_of(graph, a.outputs[0]), dims_of(graph, b.outputs[0])) &&
         dims_of(graph, a.inputs[1])[0] * groups_of(b) ==
             dims_of(graph, b.inputs[1])[0] * groups_of(a) &&
         graph.value(a.outputs[0]).type.element == graph.value(b.outputs[0]).type.element &&
         same_activation(a, b);
}

/// Convolutions of the same level as the anchor, so that none waits for another.
std::vector<NodeId> parallel_to(const Site& site) {
  const Graph& graph = site.graph;
  std::vector<NodeId> others;
  for (const NodeId id : site.places.at_level(site.places.level(site.anchor)))
    if (id != site.anchor && graph.alive(id) && is_plain_convolution(graph, id) &&
        have_equal_groups(graph, site.node(), graph.node(id)))
      others.push_back(id);
  if (others.empty()) return others;
  const Window window = convolution(graph, site.anchor)->geometry.window;
  std::erase_if(others, [&](NodeId id) {
    return graph.node(id).attributes != site.node().attributes &&
           convolution(graph, id)->geometry.window != window;
  });
  return others;
}

/// All of a level and pairs; dense ones, of which there are many, only all at once, and not if they
/// read the same, since they are siblings then.
std::vector<Match> find_parallel(const Site& site) {
  if (!is_plain_convolution(site.graph, site.anchor)) return {};
  const std::vector<NodeId> others = parallel_to(site);
  const auto is_dense = [&](NodeId id) { return groups_of(site.graph.node(id)) == 1; };
  const auto reads_the_same = [&](NodeId id) {
    return site.graph.node(id).inputs[0] == site.node().inputs[0];
  };
  std::vector<Match> found = matches_of_class(site, others, {.most_at_once = kMostJoinedAtOnce});
  std::erase_if(found, [&](const Match& match) {
    return is_dense(site.anchor) && std::ranges::all_of(match.nodes, is_dense) &&
           (match.nodes.size() < others.size() || std::ranges::all_of(match.nodes, reads_the_same));
  });
  return found;
}

/// The convolutions of a match; their inputs and what they make along an axis.
struct Joined {
  std::vector<Convolution> members;
  std::vector<ValueId> inputs;
  std::vector<std::int64_t> lengths;
};

Joined joined_by(const Graph& graph, const Match& match, std::size_t axis) {
  Joined all;
  const auto take = [&](NodeId id) {
    all.members.push_back(*convolution(graph, id));
    all.inputs.push_back(all.members.back().input);
    all.lengths.push_back(all.members.back().geometry.output_dims()[axis]);
  };
  take(match.anchor);
  for (const NodeId id : match.nodes) take(id);
  return all;
}

void replace_by_pieces(EditBuilder& build, const Graph& graph, const Joined& all, ValueId made,
                       std::int64_t axis, const std::string& name) {
  const std::vector<ValueId> pieces = build.split(made, all.lengths, axis, name + "/split");
  for (std::size_t i = 0; i < pieces.size(); ++i)
    build.replace(graph.node(all.members[i].id).outputs[0], pieces[i]);
}

bool join_as_groups(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const Joined all = joined_by(graph, match, 1);
  std::vector<Tensor> weights;
  std::vector<Tensor> biases;
  bool has_bias = false;
  ConvChange change;
  for (const Convolution& conv : all.members) {
    weights.push_back(conv.weights);
    biases.push_back(conv.bias_or_zeros());
    has_bias |= conv.bias.defined();
    change.groups += conv.geometry.groups;
  }
  const std::string name = name_of(graph, match.anchor) + "/joined";
  EditBuilder build(graph, allowance, edit);
  change.input = build.concat(all.inputs, 1, name + "/inputs");
  change.weights = joined(std::move(weights), 0);
  if (has_bias) change.bias = joined(std::move(biases), 0);
  replace_by_pieces(build, graph, all, add_convolution(build, graph, all.members[0], change, name),
                    1, name);
  return build.affordable();
}

/// Convolutions of the anchor's level that differ from it in what they read only.
std::vector<Match> find_shared_weights(const Site& site) {
  const Graph& graph = site.graph;
  const Node& node = site.node();
  const std::vector<NodeId>& readers = graph.value(node.inputs[1]).consumers;
  if (readers.size() < 2 || !is_plain_convolution(graph, site.anchor)) return {};
  std::vector<NodeId> others;
  for (const NodeId id : readers) {
    const Node& other = graph.node(id);
    if (id != site.anchor && is_plain_convolution(graph, id) &&
        site.places.level(id) == site.places.level(site.anchor) &&
        input_of(other, Epilogue::kBiasInput) == input_of(node, Epilogue::kBiasInput) &&
        other.attributes == node.attributes &&
        equal_but_for(0, dims_of(graph, other.inputs[0]), dims_of(graph, node.inputs[0])))
      others.push_back(id);
  }
  return matches_of_class(site, std::move(others), {.triples = true});
}

bool join_as_batch(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const Joined all = joined_by(graph, match, 0);
  const std::string name = name_of(graph, match.anchor) + "/batched";
  EditBuilder build(graph, allowance, edit);
  const ConvChange change{.input = build.concat(all.inputs, 0, name + "/inputs")};
  replace_by_pieces(build, graph, all, add_convolution(build, graph, all.members[0], change, name),
                    0, name);
  return build.affordable();
}

}  // namespace

SearchedRule join_parallel() {
  return {{"join-parallel",
           "compute convolutions of different values as groups of one, then split",
           {"Conv"},
           find_parallel,
           join_as_groups},
          "S5",
          "conv(x, u, g), conv(y, v, h) = split(conv(concat(x, y), [u; v], g + h)) for groups of "
          "equal extents",
          false};
}

SearchedRule batch_shared_weights() {
  return {{"batch-shared-weights",
           "compute convolutions by the same weights as one of a larger batch, then split",
           {"Conv"},
           find_shared_weights,
           join_as_batch},
          "S9",
          "conv(x, w), conv(y, w) = split(conv(concat(x, y), w)) along the batch",
          false};
}

}  // namespace braid
