#include "device/lowering/join.h"

#include <algorithm>

#include "ops/shared/axes.h"
#include "ops/shared/elements.h"
#include "plan/view.h"

namespace braid {

std::optional<std::size_t> axis_of_join(const Graph& graph, const Node& node) {
  if (node.outputs.size() != 1 || !lives_in_arena(graph, node.outputs[0])) return std::nullopt;
  const Value& value = graph.value(node.outputs[0]);
  if (value.consumers.size() != 1) return std::nullopt;
  const Node& concat = graph.node(value.consumers[0]);
  if (elements_of(concat) != Elements::Joined || !lives_in_arena(graph, concat.outputs[0]) ||
      std::ranges::count(concat.inputs, node.outputs[0]) != 1)
    return std::nullopt;
  return static_cast<std::size_t>(
      normal_axis(concat.op, concat.attributes.integer("axis", 0), std::ssize(value.type.dims)));
}

}  // namespace braid
