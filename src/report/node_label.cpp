#include "report/node_label.h"

#include "base/text.h"

namespace braid {

std::string label(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (!node.name.empty()) return printable(node.name);
  for (ValueId output : node.outputs)
    if (output.valid()) return printable(graph.value(output).name);
  return node.op;
}

}  // namespace braid
