#include <algorithm>

#include "graph/query.h"
#include "ops/shared/elements.h"
#include "rewrite/canonical/host.h"
#include "rewrite/convolution.h"
#include "rewrite/edit_builder.h"
#include "rewrite/rules/activations.h"
#include "rewrite/rules/rules.h"

namespace braid {
namespace {

Node copy_with(const Node& node, std::vector<ValueId> inputs) {
  Node copy = node;
  copy.outputs.clear();
  copy.inputs = std::move(inputs);
  return copy;
}

/// An activation of a Concat.
std::vector<Match> find_activated_concat(const Site& site) {
  if (site.node().inputs.empty()) return {};
  const NodeId concat = made_by(site.graph, site.node().inputs[0], "Concat");
  if (!concat.valid() || !is_activation(site.graph, site.anchor) ||
      std::ranges::any_of(site.graph.node(concat).inputs,
                          [&](ValueId piece) { return site.graph.is_constant(piece); }))
    return {};
  return {{.anchor = site.anchor, .nodes = {concat}}};
}

bool activate_pieces(const Graph& graph, const Match& match, Allowance& allowance,
                     GraphEdit& edit) {
  const Node& activation = graph.node(match.anchor);
  const Node& concat = graph.node(match.nodes[0]);
  EditBuilder build(graph, allowance, edit);
  std::vector<ValueId> pieces;
  for (const ValueId piece : concat.inputs)
    pieces.push_back(activate(build, graph, activation, piece));
  build.replace(activation.outputs[0],
                build.add("Concat", pieces, concat.attributes, name_of(graph, match.nodes[0])));
  return build.affordable();
}

/// A Concat of values that the same activation makes, for it alone.
std::vector<Match> find_concat_of_activated(const Site& site) {
  const Graph& graph = site.graph;
  const std::vector<ValueId>& pieces = site.node().inputs;
  const NodeId first = graph.value(pieces[0]).producer;
  if (pieces.size() < 2 || !is_activation(graph, first)) return {};
  const bool are_alike = std::ranges::all_of(pieces, [&](ValueId piece) {
    const NodeId id = made_by(graph, piece, graph.node(first).op);
    return id.valid() && has_single_use(graph, piece) &&
           are_same_activation(graph.node(id), graph.node(first));
  });
  if (!are_alike) return {};
  return {{.anchor = site.anchor, .nodes = {first}}};
}

bool activate_whole(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const Node& concat = graph.node(match.anchor);
  const Node& activation = graph.node(match.nodes[0]);
  EditBuilder build(graph, allowance, edit);
  std::vector<ValueId> pieces;
  for (const ValueId piece : concat.inputs)
    pieces.push_back(graph.node(graph.value(piece).producer).inputs[0]);
  const ValueId whole = build.add_node(copy_with(concat, std::move(pieces)))[0];
  build.replace(concat.outputs[0], activate(build, graph, activation, whole));
  return build.affordable();
}

/// A Split, all of whose pieces the same activation reads, and nothing else.
std::vector<Match> find_split_before_activations(const Site& site) {
  const Graph& graph = site.graph;
  const std::vector<ValueId>& pieces = site.node().outputs;
  Match match{.anchor = site.anchor};
  for (const ValueId piece : pieces) {
    if (!piece.valid() || !has_single_use(graph, piece)) return {};
    const NodeId reader = graph.value(piece).consumers[0];
    if (!is_activation(graph, reader) || graph.node(reader).inputs[0] != piece) return {};
    if (!match.nodes.empty() &&
        !are_same_activation(graph.node(reader), graph.node(match.nodes[0])))
      return {};
    match.nodes.push_back(reader);
  }
  return {match};
}

bool activate_before_cut(const Graph& graph, const Match& match, Allowance& allowance,
                         GraphEdit& edit) {
  Node split = graph.node(match.anchor);
  const std::size_t count = split.outputs.size();
  EditBuilder build(graph, allowance, edit);
  split.inputs[0] = activate(build, graph, graph.node(match.nodes[0]), split.inputs[0]);
  const std::vector<ValueId> pieces = build.add_node(std::move(split), count);
  for (std::size_t i = 0; i < count; ++i)
    build.replace(graph.node(match.nodes[i]).outputs[0], pieces[i]);
  return build.affordable();
}

/// A Split of what an activation makes for it alone.
std::vector<Match> find_split_of_activated(const Site& site) {
  const Graph& graph = site.graph;
  const ValueId whole = site.node().inputs[0];
  const NodeId maker = graph.value(whole).producer;
  if (!is_activation(graph, maker) || !has_single_use(graph, whole)) return {};
  return {{.anchor = site.anchor, .nodes = {maker}}};
}

bool activate_cut_pieces(const Graph& graph, const Match& match, Allowance& allowance,
                         GraphEdit& edit) {
  const Node& old = graph.node(match.anchor);
  const Node& activation = graph.node(match.nodes[0]);
  EditBuilder build(graph, allowance, edit);
  Node split = old;
  split.inputs[0] = activation.inputs[0];
  const std::vector<ValueId> pieces = build.add_node(std::move(split), old.outputs.size());
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (old.outputs[i].valid())
      build.replace(old.outputs[i], activate(build, graph, activation, pieces[i]));
  return build.affordable();
}

/// Resize that picks elements and puts nothing beside them.
bool repeats_elements(const Node& node) {
  return (node.op == "Resize" || node.op == "Upsample") &&
         node.attributes.text("mode", "nearest") == "nearest" &&
         node.attributes.text("coordinate_transformation_mode", "half_pixel") !=
             "tf_crop_and_resize";
}

bool rearranges_elements(const Node& node) {
  return node.op == "Transpose" || node.op == "DepthToSpace" || node.op == "SpaceToDepth" ||
         only_renames_dims(node);
}

/// An activation of elements that were repeated, or that a host made before they changed places.
std::vector<Match> find_activated_move(const Site& site) {
  const Graph& graph = site.graph;
  if (site.node().inputs.empty() || !site.node().inputs[0].valid()) return {};
  const NodeId move = graph.value(site.node().inputs[0]).producer;
  if (!move.valid() || !has_single_use(graph, site.node().inputs[0])) return {};
  const Node& node = graph.node(move);
  const bool may_pass = repeats_elements(node) ||
                        (rearranges_elements(node) && open_host(graph, node.inputs[0]).valid());
  if (!may_pass || !is_activation(graph, site.anchor)) return {};
  return {{.anchor = site.anchor, .nodes = {move}}};
}

bool activate_before_the_move(const Graph& graph, const Match& match, Allowance& allowance,
                              GraphEdit& edit) {
  const Node& activation = graph.node(match.anchor);
  Node move = graph.node(match.nodes[0]);
  EditBuilder build(graph, allowance, edit);
  move.inputs[0] = activate(build, graph, activation, move.inputs[0]);
  build.replace(activation.outputs[0], build.add_node(std::move(move))[0]);
  return build.affordable();
}

/// Elements that are repeated after an activation, for nothing else.
std::vector<Match> find_repeated_activated(const Site& site) {
  const ValueId value = site.node().inputs[0];
  const NodeId maker = site.graph.value(value).producer;
  if (!repeats_elements(site.node()) || !is_activation(site.graph, maker) ||
      !has_single_use(site.graph, value))
    return {};
  return {{.anchor = site.anchor, .nodes = {maker}}};
}

bool activate_repeated(const Graph& graph, const Match& match, Allowance& allowance,
                       GraphEdit& edit) {
  const Node& activation = graph.node(match.nodes[0]);
  Node move = graph.node(match.anchor);
  const ValueId old = move.outputs[0];
  EditBuilder build(graph, allowance, edit);
  move.inputs[0] = activation.inputs[0];
  build.replace(old, activate(build, graph, activation, build.add_node(std::move(move))[0]));
  return build.affordable();
}

}  // namespace

SearchedRule activate_before_concat() {
  return {{"activate-before-concat",
           "apply an activation to the pieces of a concat instead of the whole",
           {},
           find_activated_concat,
           activate_pieces},
          "S12",
          "f(concat(a, b)) = concat(f(a), f(b)) for f element by element"};
}

SearchedRule activate_after_concat() {
  return {{"activate-after-concat",
           "apply an activation to a concat instead of all its pieces",
           {"Concat"},
           find_concat_of_activated,
           activate_whole},
          "S12",
          "concat(f(a), f(b)) = f(concat(a, b)) for f element by element"};
}

SearchedRule activate_before_split() {
  return {{"activate-before-split",
           "apply an activation before a split instead of to all its pieces",
           {"Split"},
           find_split_before_activations,
           activate_before_cut},
          "S12",
          "f(split(x)) = split(f(x)) for f element by element"};
}

SearchedRule activate_after_split() {
  return {{"activate-after-split",
           "apply an activation to the pieces of a split instead of before it",
           {"Split"},
           find_split_of_activated,
           activate_cut_pieces},
          "S12",
          "split(f(x)) = f(split(x)) for f element by element"};
}

SearchedRule activate_before_move() {
  return {{"activate-before-move",
           "apply an activation before elements are repeated or change places",
           {},
           find_activated_move,
           activate_before_the_move},
          "S12",
          "f(move(x)) = move(f(x)) for f element by element"};
}

SearchedRule activate_after_resize() {
  return {{"activate-after-resize",
           "apply an activation after elements are repeated",
           {"Resize", "Upsample"},
           find_repeated_activated,
           activate_repeated},
          "S12",
          "nearest(f(x)) = f(nearest(x)) for f element by element"};
}

}  // namespace braid
