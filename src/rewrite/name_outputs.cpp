#include "rewrite/name_outputs.h"

#include <algorithm>

namespace braid {
namespace {

bool bears_name_of_output(const Graph& graph, ValueId value) {
  return std::ranges::any_of(graph.outputs(), [&](const GraphOutput& output) {
    return output.value == value && output.name == graph.value(value).name;
  });
}

}  // namespace

void name_outputs(Graph& graph) {
  for (const GraphOutput& output : graph.outputs()) {
    if (!graph.value(output.value).producer.valid() || bears_name_of_output(graph, output.value))
      continue;
    const ValueId other = graph.find(output.name);
    if (std::ranges::count(graph.inputs(), other) > 0) continue;
    if (other.valid()) graph.rename(other, graph.fresh_name(output.name));
    graph.rename(output.value, output.name);
  }
}

}  // namespace braid
