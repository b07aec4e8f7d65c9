#include "rewrite/canonical/host.h"

#include "ops/catalog.h"
#include "ops/shared/epilogue.h"

namespace braid {

bool is_host(const Node& node) {
  const OpDef* def = find_op(node.op);
  return def != nullptr && def->takes_epilogue;
}

bool has_activation(const Node& node) {
  return read_epilogue(node.attributes).activation != nullptr;
}

NodeId open_host(const Graph& graph, ValueId value) {
  if (!value.valid() || !has_single_use(graph, value)) return {};
  const NodeId producer = graph.value(value).producer;
  const bool open =
      producer.valid() && is_host(graph.node(producer)) && !has_activation(graph.node(producer));
  return open ? producer : NodeId{};
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
