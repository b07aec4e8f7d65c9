#include <algorithm>

#include "graph/query.h"
#include "ops/shared/epilogue.h"
#include "rewrite/convolution.h"
#include "rewrite/enlarge.h"
#include "rewrite/recipe.h"
#include "rewrite/rules/node_class.h"
#include "rewrite/rules/rules.h"

namespace braid {
namespace {

bool may_be_merged(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  return node.op == "Conv" && !input_of(node, Epilogue::kResidualInput).valid() &&
         is_fixed_convolution(graph, id);
}

/// Whether the extents that they make are equal, and their kernels where they must be: cheaper than
/// reading windows.
bool may_share_window(const Graph& graph, const Node& a, const Node& b, bool equal_kernels) {
  const Dims& dims = graph.value(a.outputs[0]).type.dims;
  const Dims& others = graph.value(b.outputs[0]).type.dims;
  if (!std::equal(dims.begin() + 2, dims.end(), others.begin() + 2, others.end())) return false;
  if (!equal_kernels) return true;
  const Dims& weights = graph.value(a.inputs[1]).type.dims;
  const Dims& other_weights = graph.value(b.inputs[1]).type.dims;
  return std::equal(weights.begin() + 2, weights.end(), other_weights.begin() + 2);
}

/// The other convolutions of what the anchor reads that can be computed with it, in as many groups.
std::vector<NodeId> siblings_of(const Site& site, bool equal_kernels) {
  const Graph& graph = site.graph;
  const std::vector<NodeId>& readers = graph.value(site.node().inputs[0]).consumers;
  if (readers.size() < 2 || !may_be_merged(graph, site.anchor)) return {};
  std::vector<NodeId> siblings;
  for (const NodeId id : readers) {
    const Node& node = graph.node(id);
    if (id != site.anchor && may_be_merged(graph, id) &&
        groups_of(node) == groups_of(site.node()) &&
        may_share_window(graph, site.node(), node, equal_kernels))
      siblings.push_back(id);
  }
  if (siblings.empty()) return siblings;
  const Window window = convolution(graph, site.anchor)->geometry.window;
  std::erase_if(siblings, [&](NodeId id) {
    return !(equal_kernels && graph.node(id).attributes == site.node().attributes) &&
           !common_window(convolution(graph, id)->geometry.window, window);
  });
  return siblings;
}

std::vector<Match> find_equal_siblings(const Site& site) {
  if (groups_of(site.node()) != 1) return {};
  return matches_of_class(site, siblings_of(site, true), {.triples = true});
}

bool have_same_kernels(const Graph& graph, const Match& match) {
  return std::ranges::all_of(match.nodes, [&](NodeId id) {
    return may_share_window(graph, graph.node(match.anchor), graph.node(id), true);
  });
}

std::vector<Match> find_unequal_siblings(const Site& site) {
  if (groups_of(site.node()) != 1) return {};
  std::vector<Match> found = matches_of_class(site, siblings_of(site, false));
  std::erase_if(found, [&](const Match& match) { return have_same_kernels(site.graph, match); });
  return found;
}

std::vector<Match> find_grouped_siblings(const Site& site) {
  if (groups_of(site.node()) == 1) return {};
  return matches_of_class(site, siblings_of(site, false), {.triples = true});
}

std::vector<Convolution> members_of(const Graph& graph, const Match& match) {
  std::vector<Convolution> members = {*convolution(graph, match.anchor)};
  for (const NodeId id : match.nodes) members.push_back(*convolution(graph, id));
  return members;
}

/// Tensors [Co, ...] of convolutions with equal groups as those of one, in which each group makes
/// what it made for all of them, one behind the other.
Tensor interleaved(const std::vector<Tensor>& tensors, std::int64_t groups) {
  std::vector<Tensor> by_group;
  Dims merged = tensors[0].dims();
  merged[0] = 0;
  for (const Tensor& tensor : tensors) {
    Dims dims = tensor.dims();
    merged[0] += dims[0];
    dims[0] /= groups;
    dims.insert(dims.begin(), groups);
    by_group.push_back(reshaped(tensor, dims));
  }
  return reshaped(joined(std::move(by_group), 1), merged);
}

bool have_same_activation(const Graph& graph, const std::vector<Convolution>& members) {
  return std::ranges::all_of(members, [&](const Convolution& conv) {
    return same_activation(graph.node(conv.id), graph.node(members[0].id));
  });
}

ValueId add_merged(EditBuilder& build, const Graph& graph, const std::vector<Convolution>& members,
                   const std::string& name) {
  Window window = members[0].geometry.window;
  for (const Convolution& conv : members) window = *common_window(window, conv.geometry.window);
  std::vector<Tensor> weights;
  std::vector<Tensor> biases;
  bool has_bias = false;
  for (const Convolution& conv : members) {
    weights.push_back(enlarged(conv.weights, window.kernel));
    biases.push_back(conv.bias_or_zeros());
    has_bias |= conv.bias.defined();
  }
  const std::int64_t groups = members[0].geometry.groups;
  ConvChange change{.weights = interleaved(weights, groups),
                    .window = window,
                    .keeps_activation = have_same_activation(graph, members)};
  if (has_bias) change.bias = interleaved(biases, groups);
  return add_convolution(build, graph, members[0], change, name);
}

ValueId add_reshape(EditBuilder& build, ValueId value, const Dims& dims, const std::string& name) {
  return build.add("Reshape", {value, build.integers(name + "/shape", dims)}, {}, name);
}

/// What each member made, out of what the merged convolution makes: pieces of its channels, or if
/// there are groups, pieces of the channels of each group.
std::vector<ValueId> split_merged(EditBuilder& build, const std::vector<Convolution>& members,
                                  ValueId merged, const std::string& name) {
  const std::int64_t groups = members[0].geometry.groups;
  std::vector<std::int64_t> lengths;
  for (const Convolution& conv : members) lengths.push_back(conv.geometry.out_channels_of_group());
  if (groups == 1) return build.split(merged, lengths, 1, name + "/split");
  Dims by_group = build.dims(merged);
  by_group[1] /= groups;
  by_group.insert(by_group.begin() + 1, groups);
  std::vector<ValueId> pieces = build.split(add_reshape(build, merged, by_group, name + "/groups"),
                                            lengths, 2, name + "/split");
  for (std::size_t i = 0; i < members.size(); ++i)
    pieces[i] = add_reshape(build, pieces[i], members[i].geometry.output_dims(),
                            name + "/" + std::to_string(i));
  return pieces;
}

bool merge(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const std::vector<Convolution> members = members_of(graph, match);
  const std::string name = name_of(graph, match.anchor) + "/merged";
  EditBuilder build(graph, allowance, edit);
  const ValueId merged = add_merged(build, graph, members, name);
  std::vector<ValueId> pieces = split_merged(build, members, merged, name);
  const bool activated = have_same_activation(graph, members);
  for (std::size_t i = 0; i < members.size(); ++i) {
    const NodeId id = members[i].id;
    if (!activated)
      pieces[i] =
          add_activation(build, graph.node(id), pieces[i], name_of(graph, id) + "/activation");
    build.replace(graph.node(id).outputs[0], pieces[i]);
  }
  return build.affordable();
}

}  // namespace

SearchedRule merge_siblings() {
  return {{"merge-siblings",
           "compute convolutions of one value by equal kernels as one, then split",
           {"Conv"},
           find_equal_siblings,
           merge},
          "S1",
          "conv(x, u), conv(x, v) = split(conv(x, [u; v]))"};
}

SearchedRule enlarge_siblings() {
  return {{"enlarge-siblings",
           "compute convolutions of one value as one by a kernel that holds all, then split",
           {"Conv"},
           find_unequal_siblings,
           merge},
          "S2",
          "conv(x, u), conv(x, v) = split(conv(x, [0 u 0; v])), pads grow as kernels do"};
}

SearchedRule merge_grouped_siblings() {
  return {{"merge-grouped-siblings",
           "compute grouped convolutions of one value as one, then split within groups",
           {"Conv"},
           find_grouped_siblings,
           merge},
          "S3",
          "conv(x, u, g), conv(x, v, g) = split(conv(x, [u1; v1; u2; v2; ...], g)) group by group",
          false};
}

}  // namespace braid
