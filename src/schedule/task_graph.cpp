#include "schedule/task_graph.h"

#include <algorithm>

#include "graph/order.h"

namespace braid {
namespace {

constexpr std::size_t kMostEdges = 1024;  // edges that a contracted view may stand for

std::vector<NodeId> producers(const Graph& graph, NodeId id) {
  std::vector<NodeId> found;
  for (ValueId input : graph.node(id).inputs) {
    const NodeId producer = input.valid() ? graph.value(input).producer : NodeId();
    if (producer.valid()) found.push_back(producer);
  }
  return found;
}

std::size_t readers(const Graph& graph, NodeId id) {
  std::size_t count = 0;
  for (ValueId output : graph.node(id).outputs)
    if (output.valid()) count += graph.value(output).consumers.size();
  return count;
}

/// Appends what is not there yet. `seen` holds the last list that each task was added to.
void append(std::vector<Task>& list, const std::vector<Task>& more, std::vector<Task>& seen,
            Task mark) {
  for (Task task : more)
    if (seen[static_cast<std::size_t>(task)] != mark) {
      seen[static_cast<std::size_t>(task)] = mark;
      list.push_back(task);
    }
}

}  // namespace

std::size_t TaskGraph::edges() const {
  std::size_t count = 0;
  for (const auto& tasks : before) count += tasks.size();
  return count;
}

TaskGraph task_graph(const Graph& graph, Views views) {
  TaskGraph result;
  std::vector<std::vector<Task>> writers(graph.node_limit());  // of a node's outputs
  std::vector<Task> seen(graph.node_limit(), -1);              // by task; marks are node ids
  for (NodeId id : topological_order(graph)) {
    std::vector<Task> before;
    for (NodeId producer : producers(graph, id))
      append(before, writers[producer.at()], seen, id.index);
    const bool contracted =
        views == Views::Contracted && is_view(graph.node(id)) && !before.empty() &&
        (before.size() == 1 || before.size() * readers(graph, id) <= kMostEdges);
    if (contracted) {
      const Task last = *std::max_element(before.begin(), before.end());
      result.views[static_cast<std::size_t>(last)].push_back(id);
      writers[id.at()] = std::move(before);
      continue;
    }
    const auto task = static_cast<Task>(result.nodes.size());
    result.nodes.push_back(id);
    for (Task earlier : before) result.after[static_cast<std::size_t>(earlier)].push_back(task);
    result.before.push_back(std::move(before));
    result.after.emplace_back();
    result.views.emplace_back();
    writers[id.at()] = {task};
  }
  return result;
}

}  // namespace braid
