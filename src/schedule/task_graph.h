#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace braid {

using Task = std::int32_t;  ///< the index of a task in its TaskGraph
inline std::size_t at(Task task) { return static_cast<std::size_t>(task); }

/// A graph as schedulers see it: which task must come after which.
///
/// A task is a node. Tasks are numbered in topological order. Views do nothing, so they are no
/// tasks: what reads a view comes after the tasks that wrote its bytes, and the view's step follows
/// one of them. Only a view that joins many writers with many readers stays a task, since edges
/// from each to each would be too many.
struct TaskGraph {
  std::vector<NodeId> nodes;               ///< by task
  std::vector<std::vector<Task>> before;   ///< by task, distinct, in the order of the arguments
  std::vector<std::vector<Task>> after;    ///< by task, distinct, ascending
  std::vector<std::vector<NodeId>> views;  ///< by task: what its steps are followed by

  std::size_t size() const { return nodes.size(); }
  std::size_t edges() const;
};

enum class Views {
  Contracted,  ///< as above
  AsTasks      ///< every view is a task
};

TaskGraph task_graph(const Graph& graph, Views views = Views::Contracted);

}  // namespace braid
