#include "optimise/operator_mark.h"

#include "base/hash.h"

namespace braid {

std::uint64_t operator_mark(const Graph& graph) {
  std::uint64_t mark = 0;
  for (const NodeId id : graph.node_ids()) {
    const Node& node = graph.node(id);
    Hasher hasher;
    const auto add_type = [&](ValueId value) {
      hasher.add(value.valid());
      if (!value.valid()) return;
      const TensorType& type = graph.value(value).type;
      hasher.add(type.element);
      hasher.add(type.dims.size());
      for (const std::int64_t d : type.dims) hasher.add(d);
    };
    hasher.add(std::string_view(node.op));
    add_to_hash(hasher, node.attributes);
    for (const ValueId input : node.inputs) add_type(input);
    hasher.add(node.inputs.size());
    for (const ValueId output : node.outputs) add_type(output);
    mark += hasher.finish().low;
  }
  return mark;
}

}  // namespace braid
