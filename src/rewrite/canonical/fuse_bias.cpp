#include "ops/call.h"
#include "ops/shared/epilogue.h"
#include "rewrite/canonical/host.h"
#include "rewrite/canonical/rules.h"
#include "tensor/element.h"

namespace braid {
namespace {

/// Whether a constant that is added to a value of these dimensions is the same everywhere but along
/// `axis`.
bool varies_only_along(const Dims& own, const Dims& dims, std::size_t axis) {
  if (own.size() > dims.size()) return false;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const bool runs_along = i + dims.size() - own.size() == axis && own[i] == dims[axis];
    if (own[i] != 1 && !runs_along) return false;
  }
  return true;
}

/// A constant that varies only along an axis, as a vector.
Tensor along_axis(const Tensor& constant, std::int64_t channels) {
  if (constant.elements() == channels) return constant.reshaped({channels});
  const Tensor inputs[] = {constant.reshaped({1}), Tensor::of<std::int64_t>({1}, {channels})};
  return evaluate("Expand", {}, inputs)[0];
}

/// Whether a host can take a vector of this type in: it has no bias yet, or one that can be added.
bool takes_bias(const Graph& graph, const Node& host, const TensorType& more) {
  if (!input_of(host, Epilogue::kBiasInput).valid()) return true;
  const Tensor* present = constant_input(graph, host, Epilogue::kBiasInput);
  const bool scaled = host.op == "Gemm" && host.attributes.real("beta", 1) != 1;
  return present != nullptr && present->type() == more && !scaled;
}

/// Whether the operand on this side of an Add is made by a host that can take in the constant on
/// the other.
bool is_biased_host(const Graph& graph, const Node& add, std::size_t side) {
  const TensorType& type = graph.value(add.outputs[0]).type;
  const Tensor* constant = constant_input(graph, add, 1 - side);
  const NodeId host = open_host(graph, add.inputs[side]);
  if (constant == nullptr || !host.valid() || graph.value(add.inputs[side]).type != type)
    return false;
  const auto axis = weight_axis(graph, graph.node(host));
  return axis && varies_only_along(constant->dims(), type.dims, *axis) &&
         takes_bias(graph, graph.node(host), {constant->element(), {type.dims[*axis]}});
}

/// Finds hosts that can take a bias in. The parameter is the side of the Add on which the host is.
std::vector<Match> find_biased_host(const Site& site) {
  const Node& add = site.node();
  if (add.inputs.size() != 2) return {};
  if (!is_float_type(site.graph.value(add.outputs[0]).type.element)) return {};
  std::vector<Match> found;
  for (std::size_t side = 0; side < 2; ++side)
    if (is_biased_host(site.graph, add, side))
      found.push_back({.anchor = site.anchor,
                       .nodes = {site.graph.value(add.inputs[side]).producer},
                       .parameters = {static_cast<std::int64_t>(side)}});
  return found;
}

bool add_bias(const Graph& graph, const Match& match, Allowance&, GraphEdit& edit) {
  const Node& add = graph.node(match.anchor);
  const Value& sum = graph.value(add.outputs[0]);
  const Tensor& constant =
      *constant_input(graph, add, static_cast<std::size_t>(1 - match.parameters[0]));
  Node host = copy_host(graph.node(match.nodes[0]));
  Tensor bias =
      along_axis(constant, sum.type.dims[*weight_axis(graph, graph.node(match.nodes[0]))]);
  if (host.inputs[Epilogue::kBiasInput].valid()) {
    const Tensor both[] = {*constant_input(graph, host, Epilogue::kBiasInput), bias};
    bias = evaluate("Add", {}, both)[0];
  }
  host.inputs[Epilogue::kBiasInput] = edit.add_constant(sum.name + "/bias", std::move(bias));
  host.attributes.erase("beta");
  trim_inputs(host);
  edit.replace(add.outputs[0], edit.add_node(std::move(host), {sum.type})[0]);
  return true;
}

}  // namespace

Rule fuse_bias() {
  return {"fuse-bias",
          "make an added constant the bias of the operator before it",
          {"Add"},
          find_biased_host,
          add_bias};
}

}  // namespace braid
