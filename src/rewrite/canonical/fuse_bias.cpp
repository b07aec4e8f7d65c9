#include "ops/call.h"
#include "ops/epilogue.h"
#include "rewrite/canonical/host.h"
#include "rewrite/canonical/steps.h"
#include "tensor/element.h"

namespace braid {
namespace {

struct BiasMatch {
  NodeId host;
  Tensor bias;  ///< one element per channel
};

/// A constant that is the same everywhere but along `axis`, as a vector; undefined if it is not.
Tensor along_axis(const Tensor& constant, const Dims& dims, std::size_t axis) {
  const Dims& own = constant.dims();
  if (own.size() > dims.size()) return {};
  const std::int64_t channels = dims[axis];
  for (std::size_t i = 0; i < own.size(); ++i) {
    const bool runs_along = i + dims.size() - own.size() == axis && own[i] == channels;
    if (own[i] != 1 && !runs_along) return {};
  }
  if (constant.elements() == channels) return constant.reshaped({channels});
  const Tensor inputs[] = {constant.reshaped({1}), Tensor::of<std::int64_t>({1}, {channels})};
  return evaluate("Expand", {}, inputs)[0];
}

/// The bias that a host has, with a new one added; undefined if that cannot be one vector.
Tensor sum_of_biases(const Graph& graph, const Node& host, const Tensor& more) {
  if (!input_of(host, Epilogue::kBiasInput).valid()) return more;
  const Tensor* present = constant_input(graph, host, Epilogue::kBiasInput);
  const bool scaled = host.op == "Gemm" && host.attributes.real("beta", 1) != 1;
  if (present == nullptr || present->type() != more.type() || scaled) return {};
  const Tensor inputs[] = {*present, more};
  return evaluate("Add", {}, inputs)[0];
}

std::optional<BiasMatch> match_bias(const Graph& graph, const Node& add) {
  if (add.inputs.size() != 2) return std::nullopt;
  const TensorType& type = graph.value(add.outputs[0]).type;
  if (!is_float_type(type.element)) return std::nullopt;
  for (std::size_t side = 0; side < 2; ++side) {
    const Tensor* constant = constant_input(graph, add, 1 - side);
    const NodeId host = open_host(graph, add.inputs[side]);
    if (constant == nullptr || !host.valid() || graph.value(add.inputs[side]).type != type)
      continue;
    const auto axis = bias_axis(graph, graph.node(host));
    if (!axis) continue;
    const Tensor more = along_axis(*constant, type.dims, *axis);
    const Tensor bias = more.defined() ? sum_of_biases(graph, graph.node(host), more) : Tensor{};
    if (bias.defined()) return BiasMatch{host, bias};
  }
  return std::nullopt;
}

}  // namespace

std::int64_t fuse_bias(Graph& graph, Allowance&) {
  std::int64_t changes = 0;
  for (NodeId id : graph.nodes_in_order()) {
    if (!graph.alive(id) || graph.node(id).op != "Add") continue;
    const Node& add = graph.node(id);
    const auto found = match_bias(graph, add);
    if (!found) continue;
    GraphEdit edit("fuse-bias");
    Node host = copy_host(graph.node(found->host));
    host.inputs[Epilogue::kBiasInput] =
        edit.add_constant(graph.value(add.outputs[0]).name + "/bias", found->bias);
    host.attributes.erase("beta");
    trim_inputs(host);
    edit.replace(add.outputs[0],
                 edit.add_node(std::move(host), {graph.value(add.outputs[0]).type})[0]);
    graph.apply(edit);
    ++changes;
  }
  return changes;
}

}  // namespace braid
