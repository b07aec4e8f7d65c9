#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "ops/catalog.h"
#include "ops/shared/epilogue.h"
#include "ops/shared/step.h"
#include "rewrite/canonical/host.h"
#include "rewrite/canonical/rules.h"
#include "tensor/element.h"

namespace braid {
namespace {

/// An activation and the value that it is applied to.
struct Applied {
  ValueId to;
  const ActivationDef* activation = nullptr;
  std::optional<float> alpha = {};
  std::optional<float> beta = {};
};

/// Reads a bound of Clip: nothing where it is absent. False if it is no constant that float holds.
bool read_bound(const Graph& graph, const Node& clip, std::size_t input,
                std::optional<float>& bound) {
  if (!input_of(clip, input).valid()) return true;
  const Tensor* constant = constant_input(graph, clip, input);
  const auto number = constant == nullptr ? std::nullopt : uniform_number(*constant);
  if (!number || static_cast<double>(static_cast<float>(*number)) != *number) return false;
  bound = static_cast<float>(*number);
  return true;
}

std::optional<Applied> clip_of(const Graph& graph, const Node& node) {
  Applied applied{node.inputs[0], &op_def("Clip").activations[0]};
  if (!read_bound(graph, node, 1, applied.alpha) || !read_bound(graph, node, 2, applied.beta))
    return std::nullopt;
  return applied;
}

/// The operator that is x * `gate`, where the gate is made of x: how files of opsets without it,
/// and exporters, spell it. Nothing if the gate has other uses.
std::optional<std::string_view> gated_operator(const Graph& graph, ValueId x, ValueId gate) {
  const NodeId id = graph.value(gate).producer;
  if (!id.valid() || !has_single_use(graph, gate) || graph.node(id).inputs.empty())
    return std::nullopt;
  const Node& node = graph.node(id);
  if (node.inputs[0] == x) {
    if (node.op == "Sigmoid") return "Swish";
    if (node.op == "HardSigmoid" && node.attributes.real("alpha", 0.2F) == 1.0F / 6 &&
        node.attributes.real("beta", 0.5F) == 0.5F)
      return "HardSwish";
  }
  const NodeId softplus = made_by(graph, node.inputs[0], "Softplus");
  if (node.op == "Tanh" && softplus.valid() && has_single_use(graph, node.inputs[0]) &&
      graph.node(softplus).inputs[0] == x)
    return "Mish";
  return std::nullopt;
}

/// The caller looks whether the operand has other uses.
std::optional<Applied> gated_of(const Graph& graph, const Node& mul) {
  for (std::size_t side = 0; side < 2 && mul.inputs.size() == 2; ++side) {
    const ValueId x = mul.inputs[1 - side];
    if (const auto op = gated_operator(graph, x, mul.inputs[side]))
      return Applied{x, &op_def(*op).activations[0]};
  }
  return std::nullopt;
}

std::optional<Applied> applied_by(const Graph& graph, const Node& node) {
  if (node.op == "Clip") return clip_of(graph, node);
  if (node.op == "Mul") return gated_of(graph, node);
  const OpDef* def = find_op(node.op);
  if (def == nullptr) return std::nullopt;
  for (const ActivationDef& activation : def->activations) {
    if (!has_form(node.attributes, activation.form)) continue;
    Applied applied{node.inputs[0], &activation};
    if (activation.alpha) applied.alpha = node.attributes.real("alpha", *activation.alpha);
    if (activation.beta) applied.beta = node.attributes.real("beta", *activation.beta);
    return applied;
  }
  return std::nullopt;
}

/// Whether all uses of the activation's operand belong to the activation.
bool owns_operand(const Graph& graph, const Node& node, const Applied& applied) {
  if (graph.is_output(applied.to)) return false;
  return graph.value(applied.to).consumers.size() == (node.op == "Mul" ? 2U : 1U);
}

/// The node that makes the operand, if it can take the activation in; invalid otherwise.
NodeId host_of(const Graph& graph, const Applied& applied) {
  const NodeId producer = graph.value(applied.to).producer;
  if (!producer.valid()) return {};
  const Node& node = graph.node(producer);
  const bool is_relu_of_norm =
      node.op == "BatchNormalization" && applied.activation->name == "relu";
  return (is_host(node) || is_relu_of_norm) && !has_activation(node) ? producer : NodeId{};
}

/// The hosts whose results the concat joins; none unless every input is one.
std::vector<NodeId> joined_hosts(const Graph& graph, const Node& concat) {
  std::vector<NodeId> hosts;
  for (ValueId input : concat.inputs) {
    const NodeId host = open_host(graph, input);
    if (!host.valid()) return {};
    hosts.push_back(host);
  }
  return hosts;
}

Node activated(const Node& host, const Applied& applied) {
  Node node = host;
  node.outputs.clear();
  node.attributes.set("activation", std::string(applied.activation->name));
  if (applied.alpha) node.attributes.set("activation_alpha", *applied.alpha);
  if (applied.beta) node.attributes.set("activation_beta", *applied.beta);
  return node;
}

/// Finds the host before the activation, or all hosts before a concat, that can take it in.
std::vector<Match> find_hosts_of_activation(const Site& site) {
  const Graph& graph = site.graph;
  const auto applied = applied_by(graph, site.node());
  if (!applied || !is_float_type(graph.value(applied->to).type.element) ||
      !owns_operand(graph, site.node(), *applied))
    return {};
  if (const NodeId host = host_of(graph, *applied); host.valid())
    return {{.anchor = site.anchor, .nodes = {host}}};
  const NodeId concat = made_by(graph, applied->to, "Concat");
  if (!concat.valid()) return {};
  std::vector<NodeId> hosts = joined_hosts(graph, graph.node(concat));
  if (hosts.empty()) return {};
  return {{.anchor = site.anchor, .nodes = std::move(hosts)}};
}

bool apply_inside(const Graph& graph, const Match& match, Allowance&, GraphEdit& edit) {
  const Node& node = graph.node(match.anchor);
  const Applied applied = *applied_by(graph, node);
  const TensorType& type = graph.value(node.outputs[0]).type;
  const NodeId producer = graph.value(applied.to).producer;
  if (producer == match.nodes[0]) {
    edit.replace(node.outputs[0],
                 edit.add_node(activated(graph.node(producer), applied), {type})[0]);
    return true;
  }
  Node concat = graph.node(producer);
  for (std::size_t i = 0; i < concat.inputs.size(); ++i) {
    Node host = activated(graph.node(match.nodes[i]), applied);
    const Value& old = graph.value(concat.inputs[i]);
    host.name = fmt::format("{}/{}", old.name, applied.activation->name);
    concat.inputs[i] = edit.add_node(std::move(host), {old.type})[0];
  }
  concat.outputs.clear();
  edit.replace(node.outputs[0], edit.add_node(std::move(concat), {type})[0]);
  return true;
}

}  // namespace

Rule fuse_activation() {
  return {"fuse-activation",
          "apply an activation inside the operator before it",
          {},
          find_hosts_of_activation,
          apply_inside};
}

}  // namespace braid
