#include <algorithm>
#include <cmath>

#include "graph/query.h"
#include "ops/shared/elements.h"
#include "ops/shared/epilogue.h"
#include "rewrite/canonical/host.h"
#include "rewrite/convolution.h"
#include "rewrite/recipe.h"
#include "rewrite/rules/rules.h"

namespace braid {
namespace {

/// Factors beyond this, or below its inverse, could make weights infinite or nothing.
constexpr double kLargestFactor = 1e6;
/// The most operators between a factor and the weights that take it.
constexpr std::size_t kLongestWay = 12;

/// A value times, or divided by, a constant.
struct Scaling {
  ValueId value;
  ValueId factor;
};

/// What a Mul or Div does, if one operand is a constant that does not widen the other.
std::optional<Scaling> scaling_of(const Graph& graph, const Node& node) {
  if (node.inputs.size() != 2) return std::nullopt;
  const TensorType& type = graph.value(node.outputs[0]).type;
  if (type.element != ElementType::F32 && type.element != ElementType::F64) return std::nullopt;
  for (std::size_t side = node.op == "Div" ? 1 : 0; side < 2; ++side) {
    const Scaling found{node.inputs[1 - side], node.inputs[side]};
    if (graph.is_constant(found.factor) && !graph.is_constant(found.value) &&
        graph.value(found.value).type == type)
      return found;
  }
  return std::nullopt;
}

/// The factor as a number; nothing if there are several, or if weights could not take it.
std::optional<double> single_factor(const Graph& graph, const Scaling& scaling) {
  const Tensor& factor = graph.value(scaling.factor).constant;
  if (factor.elements() != 1) return std::nullopt;
  const double number = *uniform_number(factor);
  const double size = std::abs(number);
  return size <= kLargestFactor && size >= 1 / kLargestFactor ? std::optional(number)
                                                              : std::nullopt;
}

bool has_constant_bias(const Graph& graph, const Node& node) {
  return !input_of(node, Epilogue::kBiasInput).valid() ||
         constant_input(graph, node, Epilogue::kBiasInput) != nullptr;
}

/// Whether the node's result is its weights and bias, both constant, times something else: they can
/// take a factor. A Relu lets positive factors through.
bool takes_factor(const Graph& graph, const Node& node, double factor) {
  if (node.op != "ConvTranspose" && !is_host(node)) return false;
  if (constant_input(graph, node, 1) == nullptr || !has_constant_bias(graph, node) ||
      input_of(node, Epilogue::kResidualInput).valid())
    return false;
  const Epilogue epilogue = read_epilogue(node.attributes);
  return epilogue.activation == nullptr || (factor > 0 && epilogue.is_relu());
}

/// A product of two computed values and nothing else.
bool is_bare_product(const Node& node) {
  return node.op == "MatMul" && node.inputs.size() == 2 && !has_activation(node);
}

/// Looks for weights behind a value that nothing else reads, through operators that hand factors
/// on; puts the nodes on the way, the last one first, into `way`. False if there are none.
bool find_way(const Graph& graph, ValueId value, double factor, std::vector<NodeId>& way) {
  const NodeId id = graph.value(value).producer;
  if (!id.valid() || !has_single_use(graph, value) || way.size() == kLongestWay) return false;
  const Node& node = graph.node(id);
  way.push_back(id);
  if (takes_factor(graph, node, factor)) return true;
  if ((node.op == "Transpose" || only_renames_dims(node)) &&
      find_way(graph, node.inputs[0], factor, way))
    return true;
  if (is_bare_product(node) && (find_way(graph, node.inputs[0], factor, way) ||
                                find_way(graph, node.inputs[1], factor, way)))
    return true;
  way.pop_back();
  return false;
}

std::vector<Match> find_scaled_weights(const Site& site) {
  const auto scaling = scaling_of(site.graph, site.node());
  if (!scaling) return {};
  const auto factor = single_factor(site.graph, *scaling);
  if (!factor) return {};
  Match match{.anchor = site.anchor};
  if (!find_way(site.graph, scaling->value, *factor, match.nodes)) return {};
  return {match};
}

/// Adds the node with `op`, Mul or Div, done to its weights and bias by `factor`.
ValueId add_scaled(EditBuilder& build, const Graph& graph, NodeId id, std::string_view op,
                   const Tensor& factor) {
  Node node = copy_host(graph.node(id));
  node.name = name_of(graph, id);
  const auto scale = [&](std::size_t input, const char* what) {
    const Tensor& old = graph.value(node.inputs[input]).constant;
    node.inputs[input] = build.constant(node.name + what, promised_result(op, {old, factor}));
  };
  scale(1, "/weights");
  if (node.inputs[Epilogue::kBiasInput].valid()) scale(Epilogue::kBiasInput, "/bias");
  trim_inputs(node);
  return build.add_node(std::move(node))[0];
}

bool scale_weights(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const Node& anchor = graph.node(match.anchor);
  const Tensor factor = graph.value(scaling_of(graph, anchor)->factor).constant.reshaped({});
  EditBuilder build(graph, allowance, edit);
  ValueId made = add_scaled(build, graph, match.nodes.back(), anchor.op, factor);
  for (std::size_t i = match.nodes.size() - 1; i-- > 0;) {
    Node node = graph.node(match.nodes[i]);
    std::ranges::replace(node.inputs, graph.node(match.nodes[i + 1]).outputs[0], made);
    made = build.add_node(std::move(node))[0];
  }
  build.replace(anchor.outputs[0], made);
  return build.affordable();
}

/// The dimensions in which a factor of what the node reads is one of its weights: a number, or a
/// number for each row of the right side of a product or each channel that a dense convolution
/// reads. Nothing if the weights cannot take it.
std::optional<Dims> factor_dims(const Graph& graph, const Node& node, const TensorType& factor) {
  const Dims& dims = factor.dims;
  const std::int64_t count = element_count(factor);
  if (count == 1) return Dims{};
  const Dims& weights = graph.value(node.inputs[1]).type.dims;
  if (node.op == "Conv") {
    const std::size_t spatial = weights.size() - 2;
    if (dims.size() < weights.size() - 1 || dims[dims.size() - spatial - 1] != count ||
        weights[1] != count)
      return std::nullopt;
    Dims wanted(weights.size(), 1);
    wanted[1] = count;
    return wanted;
  }
  if (weights.size() != 2 || dims.empty() || dims.back() != count) return std::nullopt;
  if (node.attributes.integer("transB", 0) != 0) return Dims{1, count};
  return Dims{count, 1};
}

/// Whether the reader can do the scaling of its first input by its weights.
bool takes_scaling(const Graph& graph, const Node& node, const Scaling& scaling, ValueId scaled) {
  if (node.op != "ConvTranspose" && !is_host(node)) return false;
  if (constant_input(graph, node, 1) == nullptr) return false;
  if (node.attributes.integer("transA", 0) != 0 &&
      element_count(graph.value(scaling.factor).type) > 1)
    return false;
  return node.inputs[0] == scaled && std::ranges::count(node.inputs, scaled) == 1 &&
         factor_dims(graph, node, graph.value(scaling.factor).type).has_value();
}

/// A factor, all of whose readers have constant weights to take it. Of several factors only
/// products are taken: which numbers one would divide by is not looked at.
std::vector<Match> find_scaled_input(const Site& site) {
  const Graph& graph = site.graph;
  const auto scaling = scaling_of(graph, site.node());
  if (!scaling) return {};
  const ValueId scaled = site.node().outputs[0];
  Match match{.anchor = site.anchor, .nodes = graph.value(scaled).consumers};
  if (match.nodes.empty() || graph.is_output(scaled)) return {};
  for (const NodeId reader : match.nodes)
    if (!takes_scaling(graph, graph.node(reader), *scaling, scaled)) return {};
  const bool is_single = element_count(graph.value(scaling->factor).type) == 1;
  if (is_single ? !single_factor(graph, *scaling) : site.node().op == "Div") return {};
  std::ranges::sort(match.nodes, {}, [&](NodeId id) { return site.places.position(id); });
  return {match};
}

bool scale_readers(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const Node& anchor = graph.node(match.anchor);
  const Scaling scaling = *scaling_of(graph, anchor);
  const Value& factor = graph.value(scaling.factor);
  EditBuilder build(graph, allowance, edit);
  std::vector<std::pair<ValueId, ValueId>> made;  // one reader may be the residual of another
  for (const NodeId reader : match.nodes) {
    Node node = copy_host(graph.node(reader));
    node.name = name_of(graph, reader);
    const Tensor numbers = factor.constant.reshaped(*factor_dims(graph, node, factor.type));
    node.inputs[0] = scaling.value;
    node.inputs[1] =
        build.constant(node.name + "/weights",
                       promised_result(anchor.op, {graph.value(node.inputs[1]).constant, numbers}));
    for (const auto& [old, with] : made) std::ranges::replace(node.inputs, old, with);
    trim_inputs(node);
    made.emplace_back(graph.node(reader).outputs[0], build.add_node(std::move(node))[0]);
    build.replace(made.back().first, made.back().second);
  }
  return build.affordable();
}

}  // namespace

SearchedRule scale_into_weights() {
  return {{"scale-into-weights",
           "multiply weights by a number instead of what is made with them",
           {"Mul", "Div"},
           find_scaled_weights,
           scale_weights},
          "S11",
          "s (x w + b) = x (s w) + s b, also through transposes, reshapes and products"};
}

SearchedRule scale_into_next_weights() {
  return {{"scale-into-next-weights",
           "multiply the weights of all readers by a number instead of what they read",
           {"Mul", "Div"},
           find_scaled_input,
           scale_readers},
          "S11",
          "(s x) w = x (s w); (x diag(s)) w = x (diag(s) w)"};
}

}  // namespace braid
