#include "ops/shared/parameters.h"

#include <algorithm>

#include "base/checked.h"
#include "tensor/element.h"

namespace braid {
namespace {

constexpr std::size_t kRunningMean = 3;

bool learns(const Graph& graph, NodeId reader, ValueId id) {
  const Node& node = graph.node(reader);
  if (node.op != "BatchNormalization") return true;
  const auto first_statistic =
      node.inputs.begin() + static_cast<std::ptrdiff_t>(std::min(kRunningMean, node.inputs.size()));
  return std::find(node.inputs.begin(), first_statistic, id) != first_statistic;
}

}  // namespace

std::int64_t parameter_count(const Graph& graph) {
  std::int64_t total = 0;
  for (const ValueId id : graph.value_ids()) {
    const Value& value = graph.value(id);
    if (!graph.is_constant(id) || !is_float_type(value.type.element)) continue;
    const std::int64_t elements = element_count(value.type);
    const auto& readers = value.consumers;
    if (elements > 1 && std::any_of(readers.begin(), readers.end(),
                                    [&](NodeId reader) { return learns(graph, reader, id); }))
      total = checked_add(total, elements);
  }
  return total;
}

}  // namespace braid
