#include <algorithm>

#include "graph/query.h"
#include "rewrite/canonical/rules.h"
#include "rewrite/pattern.h"

namespace braid {
namespace {

/// What a decomposed LayerNormalization is made of.
struct Parts {
  ValueId x;
  std::size_t axis = 0;  ///< the first normalised axis; all later ones are too
  double epsilon = 0;
  ValueId scale;
  ValueId shift;  ///< invalid: none
  NodeId last;    ///< the node whose result is the normalised one
};

/// The first of the trailing axes over which the node takes the mean, keeping them.
std::optional<std::size_t> mean_axis(const Graph& graph, NodeId mean) {
  if (!mean.valid() || graph.node(mean).attributes.integer("keepdims", 1) == 0) return std::nullopt;
  const std::size_t rank = graph.value(graph.node(mean).inputs[0]).type.dims.size();
  const auto list = constant_integers(graph, graph.node(mean), 1);
  if (!list || list->empty()) return std::nullopt;
  std::vector<bool> reduced(rank, false);
  for (std::int64_t entry : *list) {
    const auto axis = front_axis(entry, rank);
    if (!axis) return std::nullopt;
    reduced[*axis] = true;
  }
  const auto first = std::find(reduced.begin(), reduced.end(), true);
  if (std::find(first, reduced.end(), false) != reduced.end()) return std::nullopt;
  return static_cast<std::size_t>(first - reduced.begin());
}

/// x and its mean from x - mean(x).
std::optional<Parts> centred(const Graph& graph, ValueId value) {
  const NodeId sub = made_by(graph, value, "Sub");
  if (!sub.valid()) return std::nullopt;
  const auto& inputs = graph.node(sub).inputs;
  const NodeId mean = made_by(graph, inputs[1], "ReduceMean");
  const auto axis = mean_axis(graph, mean);
  if (!axis || graph.node(mean).inputs[0] != inputs[0]) return std::nullopt;
  Parts parts;
  parts.x = inputs[0];
  parts.axis = *axis;
  return parts;
}

/// Whether `value` is the square of `centre`.
bool is_square(const Graph& graph, ValueId value, ValueId centre) {
  static const Pattern squares[] = {Pattern("Pow(x, 2)"), Pattern("Mul(x, x)")};
  const NodeId node = graph.value(value).producer;
  if (!node.valid()) return false;
  return std::any_of(std::begin(squares), std::end(squares), [&](const Pattern& square) {
    return square.find(graph, node) == std::vector{centre};
  });
}

/// Whether `value` is sqrt(mean(centre^2) + epsilon); sets the epsilon.
bool is_deviation(const Graph& graph, ValueId value, ValueId centre, Parts& parts) {
  const NodeId root = made_by(graph, value, "Sqrt");
  const NodeId add = root.valid() ? made_by(graph, graph.node(root).inputs[0], "Add") : NodeId{};
  if (!add.valid()) return false;
  for (std::size_t side = 0; side < 2; ++side) {
    const auto epsilon = number_input(graph, graph.node(add), side);
    const NodeId mean = made_by(graph, graph.node(add).inputs[1 - side], "ReduceMean");
    if (!epsilon || mean_axis(graph, mean) != parts.axis) continue;
    if (!is_square(graph, graph.node(mean).inputs[0], centre)) continue;
    parts.epsilon = *epsilon;
    return true;
  }
  return false;
}

/// The operand beside `value` if it has exactly the normalised dimensions.
ValueId parameter(const Graph& graph, NodeId node, ValueId value, const Parts& parts) {
  if (!node.valid()) return {};
  const ValueId other = other_operand(graph.node(node), value);
  if (!other.valid() || !graph.is_constant(other)) return {};
  const Dims& all = graph.value(parts.x).type.dims;
  const Dims normalised(all.begin() + static_cast<std::ptrdiff_t>(parts.axis), all.end());
  return graph.value(other).type.dims == normalised ? other : ValueId{};
}

std::optional<Parts> match_layer_norm(const Graph& graph, const Node& div) {
  auto parts = centred(graph, div.inputs[0]);
  if (!parts || !is_deviation(graph, div.inputs[1], div.inputs[0], *parts)) return std::nullopt;
  const ElementType element = graph.value(parts->x).type.element;
  if (element != ElementType::F32 && element != ElementType::F64) return std::nullopt;
  const NodeId mul = only_user(graph, div.outputs[0], "Mul");
  parts->scale = parameter(graph, mul, div.outputs[0], *parts);
  if (!parts->scale.valid()) return std::nullopt;
  parts->last = mul;
  const ValueId scaled = graph.node(mul).outputs[0];
  const NodeId add = only_user(graph, scaled, "Add");
  parts->shift = parameter(graph, add, scaled, *parts);
  if (parts->shift.valid()) parts->last = add;
  return parts;
}

std::vector<Match> find_layer_norm(const Site& site) {
  const auto parts = match_layer_norm(site.graph, site.node());
  if (!parts) return {};
  const ValueId result = site.graph.node(parts->last).outputs[0];
  if (site.graph.value(result).type != site.graph.value(parts->x).type) return {};
  return {{.anchor = site.anchor, .nodes = {parts->last}}};
}

bool make_layer_norm(const Graph& graph, const Match& match, Allowance&, GraphEdit& edit) {
  const Parts parts = *match_layer_norm(graph, graph.node(match.anchor));
  const TensorType type = graph.value(parts.x).type;
  Node norm;
  norm.op = "LayerNormalization";
  norm.name = graph.node(parts.last).name;
  norm.inputs = {parts.x, parts.scale};
  if (parts.shift.valid()) norm.inputs.push_back(parts.shift);
  norm.attributes.set("axis", static_cast<std::int64_t>(parts.axis) - std::ssize(type.dims));
  norm.attributes.set("epsilon", static_cast<float>(parts.epsilon));
  edit.replace(graph.node(parts.last).outputs[0], edit.add_node(std::move(norm), {type})[0]);
  return true;
}

}  // namespace

// (x - mean) / sqrt(mean((x - mean)^2) + epsilon) * scale + shift, as exporters write it below
// opset 17.
Rule recognise_layer_norm() {
  return {"recognise-layer-norm",
          "find LayerNormalization in its parts",
          {"Div"},
          find_layer_norm,
          make_layer_norm};
}

}  // namespace braid
