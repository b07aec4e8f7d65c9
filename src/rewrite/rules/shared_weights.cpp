#include <algorithm>

#include "graph/query.h"
#include "ops/shared/epilogue.h"
#include "rewrite/canonical/host.h"
#include "rewrite/rules/convolution.h"
#include "rewrite/rules/joined_hosts.h"
#include "rewrite/rules/rules.h"

namespace braid {
namespace {

constexpr std::size_t kMostImages = 20;

/// The attributes that say which pixels a convolution reads.
bool slide_alike(const Node& a, const Node& b) {
  return std::ranges::all_of(
      std::initializer_list<std::string_view>{"auto_pad", "dilations", "group", "pads", "strides"},
      [&](std::string_view name) {
        const Attribute* one = a.attributes.find(name);
        const Attribute* other = b.attributes.find(name);
        return one == nullptr || other == nullptr ? one == other : *one == *other;
      });
}

/// Convolutions of other images with the same weights and bias. All have one level, so that none
/// waits for another.
std::vector<Match> find_convolutions_by_one(const Site& site) {
  const Graph& graph = site.graph;
  const Node& own = site.node();
  if (!graph.is_constant(own.inputs[1])) return {};
  const std::vector<NodeId>& readers = graph.value(own.inputs[1]).consumers;
  const ValueId bias = input_of(own, Epilogue::kBiasInput);
  if (readers.size() < 2 || (bias.valid() && !graph.is_constant(bias))) return {};
  std::vector<NodeId> alike;
  for (const NodeId id : readers) {
    const Node& node = graph.node(id);
    if (node.op == "Conv" && node.inputs[1] == own.inputs[1] &&
        site.places.level(id) == site.places.level(site.anchor) &&
        input_of(node, Epilogue::kBiasInput) == bias && slide_alike(node, own) &&
        differ_only_along(graph.value(node.inputs[0]).type.dims,
                          graph.value(own.inputs[0]).type.dims, 0))
      alike.push_back(id);
  }
  std::ranges::sort(alike, {}, [&](NodeId id) { return site.places.position(id); });
  if (alike[0] != site.anchor) return {};
  return matches_of_some(alike, kMostImages);
}

bool convolve_together(const Graph& graph, const Match& match, Allowance& allowance,
                       GraphEdit& edit) {
  const std::string name = name_of(graph, match.anchor) + "/merged";
  EditBuilder build(graph, allowance, edit);
  std::vector<ValueId> images;
  std::vector<std::int64_t> lengths;
  for (const NodeId id : all_nodes(match)) {
    images.push_back(graph.node(id).inputs[0]);
    lengths.push_back(graph.value(images.back()).type.dims[0]);
  }
  Node conv = copy_host(graph.node(match.anchor));
  conv.name = name;
  conv.inputs[0] = build.concat(std::move(images), 0, name + "/images");
  conv.inputs[Epilogue::kResidualInput] = ValueId{};
  for (const std::string_view own : {"activation", "activation_alpha", "activation_beta"})
    conv.attributes.erase(own);
  trim_inputs(conv);
  hand_out(build, graph, all_nodes(match), build.add_node(std::move(conv))[0], lengths, 0, name);
  return build.affordable();
}

}  // namespace

SearchedRule merge_images() {
  return {{"merge-images",
           "convolve the images of several convolutions with the same weights at once",
           {"Conv"},
           find_convolutions_by_one,
           convolve_together},
          "S9",
          "conv(x1, w), conv(x2, w) = split(conv(batch(x1, x2), w))",
          false};
}

}  // namespace braid
