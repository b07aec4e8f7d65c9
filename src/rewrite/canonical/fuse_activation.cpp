#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "ops/epilogue.h"
#include "rewrite/canonical/host.h"
#include "rewrite/canonical/steps.h"
#include "tensor/element.h"

namespace braid {
namespace {

/// An activation and the value that it is applied to.
struct Applied {
  ValueId to;
  Activation activation = Activation::None;
  std::optional<float> alpha = {};
  std::optional<float> beta = {};
};

struct FusableRow {
  std::string_view op;
  Activation activation;
  std::optional<float> alpha = {};  ///< ONNX's default where the operator has the attribute
  std::optional<float> beta = {};
};
constexpr FusableRow kFusable[] = {
    {"Relu", Activation::Relu},
    {"LeakyRelu", Activation::LeakyRelu, 0.01F},
    {"Elu", Activation::Elu, 1.0F},
    {"Sigmoid", Activation::Sigmoid},
    {"HardSigmoid", Activation::HardSigmoid, 0.2F, 0.5F},
    {"HardSwish", Activation::HardSwish},
    {"Tanh", Activation::Tanh},
};

/// A bound of Clip, nothing where it is absent. Fails if it is no constant that float holds.
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
  Applied applied{node.inputs[0], Activation::Clip};
  if (!read_bound(graph, node, 1, applied.alpha) || !read_bound(graph, node, 2, applied.beta))
    return std::nullopt;
  return applied;
}

/// x * Sigmoid(x). The caller looks whether x has other uses.
std::optional<Applied> silu_of(const Graph& graph, const Node& mul) {
  for (std::size_t side = 0; side < 2 && mul.inputs.size() == 2; ++side) {
    const NodeId sigmoid = made_by(graph, mul.inputs[side], "Sigmoid");
    if (sigmoid.valid() && has_single_use(graph, mul.inputs[side]) &&
        graph.node(sigmoid).inputs[0] == mul.inputs[1 - side])
      return Applied{mul.inputs[1 - side], Activation::Silu};
  }
  return std::nullopt;
}

std::optional<Applied> applied_by(const Graph& graph, const Node& node) {
  for (const FusableRow& row : kFusable)
    if (node.op == row.op) {
      Applied applied{node.inputs[0], row.activation, row.alpha, row.beta};
      if (row.alpha) applied.alpha = node.attributes.real("alpha", *row.alpha);
      if (row.beta) applied.beta = node.attributes.real("beta", *row.beta);
      return applied;
    }
  if (node.op == "Clip") return clip_of(graph, node);
  if (node.op == "Mul") return silu_of(graph, node);
  if (node.op == "Gelu")
    return Applied{node.inputs[0], node.attributes.text("approximate", "none") == "tanh"
                                       ? Activation::GeluTanh
                                       : Activation::Gelu};
  if (node.op == "Swish" && node.attributes.real("alpha", 1) == 1)
    return Applied{node.inputs[0], Activation::Silu};
  return std::nullopt;
}

/// All uses of the activation's operand belong to the activation.
bool owns_operand(const Graph& graph, const Node& node, const Applied& applied) {
  if (graph.is_output(applied.to)) return false;
  return graph.value(applied.to).consumers.size() == (node.op == "Mul" ? 2U : 1U);
}

/// The node that can take the activation of its result in.
NodeId host_of(const Graph& graph, const Applied& applied) {
  const NodeId producer = graph.value(applied.to).producer;
  if (!producer.valid()) return {};
  const Node& node = graph.node(producer);
  const bool is_relu_of_norm =
      node.op == "BatchNormalization" && applied.activation == Activation::Relu;
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
  node.attributes.set("activation", std::string(name(applied.activation)));
  if (applied.alpha) node.attributes.set("activation_alpha", *applied.alpha);
  if (applied.beta) node.attributes.set("activation_beta", *applied.beta);
  return node;
}

/// The edit that moves an activation into the host before it, or into all hosts before a concat.
std::optional<GraphEdit> fuse(const Graph& graph, const Node& node, const Applied& applied) {
  GraphEdit edit("fuse-activation");
  const TensorType& type = graph.value(node.outputs[0]).type;
  if (const NodeId host = host_of(graph, applied); host.valid()) {
    edit.replace(node.outputs[0], edit.add_node(activated(graph.node(host), applied), {type})[0]);
    return edit;
  }
  const NodeId concat_id = made_by(graph, applied.to, "Concat");
  if (!concat_id.valid()) return std::nullopt;
  Node concat = graph.node(concat_id);
  const std::vector<NodeId> hosts = joined_hosts(graph, concat);
  if (hosts.empty()) return std::nullopt;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    Node host = activated(graph.node(hosts[i]), applied);
    const Value& old = graph.value(concat.inputs[i]);
    host.name = fmt::format("{}/{}", old.name, name(applied.activation));
    concat.inputs[i] = edit.add_node(std::move(host), {old.type})[0];
  }
  concat.outputs.clear();
  edit.replace(node.outputs[0], edit.add_node(std::move(concat), {type})[0]);
  return edit;
}

}  // namespace

std::int64_t fuse_activation(Graph& graph, Allowance&) {
  std::int64_t changes = 0;
  for (NodeId id : graph.nodes_in_order()) {
    if (!graph.alive(id)) continue;
    const Node& node = graph.node(id);
    const auto applied = applied_by(graph, node);
    if (!applied || !is_float_type(graph.value(applied->to).type.element) ||
        !owns_operand(graph, node, *applied))
      continue;
    const auto edit = fuse(graph, node, *applied);
    if (!edit) continue;
    graph.apply(*edit);
    ++changes;
  }
  return changes;
}

}  // namespace braid
