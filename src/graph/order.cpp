#include "graph/order.h"

#include <algorithm>
#include <functional>
#include <queue>

#include <fmt/format.h>

#include "base/error.h"

namespace braid {

std::vector<NodeId> topological_order(const Graph& graph) {
  std::vector<std::size_t> missing(graph.node_limit(), 0);
  std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> ready;
  const std::vector<NodeId> ids = graph.node_ids();
  for (NodeId id : ids) {
    for (ValueId input : graph.node(id).inputs)
      if (input.valid() && graph.value(input).producer.valid()) ++missing[id.at()];
    if (missing[id.at()] == 0) ready.push(id);
  }
  std::vector<NodeId> order;
  order.reserve(ids.size());
  while (!ready.empty()) {
    const NodeId id = ready.top();
    ready.pop();
    order.push_back(id);
    for (ValueId output : graph.node(id).outputs) {
      if (!output.valid()) continue;
      for (NodeId consumer : graph.value(output).consumers)
        if (--missing[consumer.at()] == 0) ready.push(consumer);
    }
  }
  if (order.size() == ids.size()) return order;
  for (NodeId id : ids)
    if (missing[id.at()] > 0)
      raise(ErrorKind::Model,
            fmt::format("the graph has a cycle at or before {}", describe(graph, id)));
  raise(ErrorKind::Internal, "nodes were lost while ordering the graph");
}

void visit_needed(const Graph& graph, NodeId root, std::vector<bool>& done,
                  FunctionRef<void(NodeId)> visit) {
  if (!root.valid()) return;
  std::vector<std::pair<NodeId, std::size_t>> stack = {{root, 0}};
  while (!stack.empty()) {
    const NodeId id = stack.back().first;
    const auto& inputs = graph.node(id).inputs;
    if (done[id.at()]) {
      stack.pop_back();
    } else if (stack.back().second < inputs.size()) {
      const ValueId input = inputs[stack.back().second++];
      if (!input.valid()) continue;
      const NodeId producer = graph.value(input).producer;
      if (producer.valid() && !done[producer.at()]) stack.emplace_back(producer, 0);
    } else {
      done[id.at()] = true;
      visit(id);
      stack.pop_back();
    }
  }
}

std::int64_t depth(const Graph& graph, const NodeFilter& counts) {
  std::vector<std::int64_t> longest(graph.node_limit(), 0);
  std::int64_t deepest = 0;
  for (NodeId id : topological_order(graph)) {
    std::int64_t before = 0;
    for (ValueId input : graph.node(id).inputs)
      if (input.valid() && graph.value(input).producer.valid())
        before = std::max(before, longest[graph.value(input).producer.at()]);
    longest[id.at()] = before + (counts(graph.node(id)) ? 1 : 0);
    deepest = std::max(deepest, longest[id.at()]);
  }
  return deepest;
}

}  // namespace braid
