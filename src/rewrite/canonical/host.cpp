#include "rewrite/canonical/host.h"

#include "ops/epilogue.h"

namespace braid {

bool is_host(const Node& node) {
  return node.op == "Conv" || node.op == "Gemm" || node.op == "MatMul";
}

bool has_activation(const Node& node) {
  return read_epilogue(node.attributes).activation != Activation::None;
}

NodeId open_host(const Graph& graph, ValueId value) {
  if (!value.valid() || !has_single_use(graph, value)) return {};
  const NodeId producer = graph.value(value).producer;
  const bool open =
      producer.valid() && is_host(graph.node(producer)) && !has_activation(graph.node(producer));
  return open ? producer : NodeId{};
}

std::optional<std::size_t> bias_axis(const Graph& graph, const Node& host) {
  const std::size_t rank = graph.value(host.outputs[0]).type.dims.size();
  if (host.op == "Conv" || host.op == "ConvTranspose") return 1;
  if (host.op == "Gemm") return 1;
  const bool matrices = graph.value(host.inputs[0]).type.dims.size() >= 2 &&
                        graph.value(host.inputs[1]).type.dims.size() >= 2;
  if (!matrices) return std::nullopt;
  return rank - 1;
}

Node copy_host(const Node& host) {
  Node copy = host;
  copy.outputs.clear();
  copy.inputs.resize(Epilogue::kResidualInput + 1);
  return copy;
}

void trim_inputs(Node& node) {
  while (!node.inputs.empty() && !node.inputs.back().valid()) node.inputs.pop_back();
}

}  // namespace braid
