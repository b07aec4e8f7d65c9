#include "tests/devices/fake_lower.h"

#include <algorithm>

#include "base/error.h"
#include "plan/one_stream.h"
#include "plan/view.h"

namespace braid {
namespace {

/// Whether all outputs of a node have the same length along an axis, more than `grain`.
bool can_be_cut(const Graph& graph, const Node& node, std::size_t axis, std::int64_t grain) {
  const Dims& first = graph.value(node.outputs[0]).type.dims;
  return std::ranges::all_of(node.outputs, [&](ValueId id) {
    if (!id.valid()) return true;
    const Dims& dims = graph.value(id).type.dims;
    return axis < dims.size() && dims[axis] == first[axis] && dims[axis] > grain;
  });
}

std::vector<Cut> fake_cuts(const Graph& graph, const Node& node) {
  std::vector<Cut> cuts;
  if (node.outputs.empty() || !node.outputs[0].valid()) return cuts;
  const std::size_t rank = graph.value(node.outputs[0]).type.dims.size();
  if (rank > 0 && can_be_cut(graph, node, 0, 1)) cuts.push_back({.axis = 0, .grain = 1});
  if (rank > 1 && can_be_cut(graph, node, rank - 1, 2))
    cuts.push_back({.axis = static_cast<int>(rank) - 1, .grain = 2});
  return cuts;
}

/// Whether one arena can hold all views of the graph. Only the views decide, not the Plan.
bool views_fit(const Graph& lowered) {
  try {
    one_stream(lowered, {});
    return true;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::Unsupported) throw;
    return false;
  }
}

}  // namespace

Graph fake_lower(const Graph& graph) {
  Graph lowered = graph;
  for (const NodeId id : graph.nodes_in_order()) {
    const Lowering plain{"evaluate", 0, fake_cuts(graph, graph.node(id))};
    lowered.set_lowering(id, plain);
    if (rejects_view(graph, id)) continue;
    lowered.set_lowering(id, {std::string(kViewImplementation), 0, {}});
    if (!views_fit(lowered)) lowered.set_lowering(id, plain);
  }
  return lowered;
}

}  // namespace braid
